import type { Options, SDKUserMessage, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import { type AsyncQueue, type Clock, createAsyncQueue, inTime } from '../../kit/index.ts'
import type { AgentProcess } from './agent-process.ts'
import type { SdkModule, Spawn } from './sdk.ts'

/** A session of the SDK at work: what it says, and the ways to speak to it. */
export interface Agent {
  readonly process: AgentProcess
  /** Everything it says, in order; closed when nothing more comes. */
  readonly messages: AsyncQueue<object>
  /** Why the SDK gave up, if it did. It also does after a result that is an error. */
  thrown(): unknown
  say(prompt: string): void
  /** No more prompts: it ends once its turn is over. */
  finish(): void
  /** Ends its turn; the result of the turn still comes. Never throws. */
  interrupt(): void
}

export interface AgentOptions {
  readonly sdk: SdkModule
  readonly options: (spawn: Spawn) => Options
  readonly startProcess: (wanted: SpawnOptions) => AgentProcess
  readonly clock: Clock
}

/** How long the SDK may take to hand over what its process said before it ended. */
const handOverMs = 1_000

/** Throws what the SDK throws, for example without its program. */
export function openAgent({ sdk, options, startProcess, clock }: AgentOptions): Agent {
  const prompts = createPrompts()
  const messages = createAsyncQueue<object>()
  let started: AgentProcess | undefined
  let thrown: unknown
  const spawn = (wanted: SpawnOptions) => {
    started = startProcess(wanted)
    return started.child
  }
  const ask = () => {
    try {
      return sdk.query({ prompt: prompts.stream, options: options(spawn) })
    } catch (error) {
      void started?.discard()
      throw error
    }
  }
  const query = ask()
  const process = started
  if (!process) throw new Error('The agent SDK did not start its program.')

  async function listen(): Promise<void> {
    try {
      for await (const message of query) messages.put(message)
    } catch (error) {
      thrown = error
    }
    messages.close()
  }

  const listening = listen()
  void process.ended.then(async () => {
    if (await inTime(listening, { ms: handOverMs, clock })) return
    messages.close()
    query.close()
  })
  return {
    process,
    messages,
    thrown: () => thrown,
    say: prompts.say,
    finish() {
      prompts.close()
      void process.leave()
    },
    interrupt: () => void query.interrupt().catch(() => undefined),
  }
}

/** The prompts of one session, one after another. The session lasts until they are closed. */
interface Prompts {
  say(prompt: string): void
  close(): void
  readonly stream: AsyncIterable<SDKUserMessage>
}

function createPrompts(): Prompts {
  const inbox = createAsyncQueue<string>()
  async function* stream(): AsyncGenerator<SDKUserMessage> {
    for (let prompt = await inbox.take(); prompt !== undefined; prompt = await inbox.take()) {
      yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null }
    }
  }
  return { say: prompt => void inbox.put(prompt), close: inbox.close, stream: stream() }
}
