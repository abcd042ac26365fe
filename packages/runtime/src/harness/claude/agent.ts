import type { Options, SDKUserMessage, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import { type AsyncQueue, type Clock, createAsyncQueue, inTime } from '../../kit/index.ts'
import type { AgentProcess } from './agent-process.ts'
import type { SdkModule, Spawn } from './sdk.ts'

export interface AgentOptions {
  readonly sdk: SdkModule
  readonly options: (spawn: Spawn) => Options
  readonly startProcess: (wanted: SpawnOptions) => AgentProcess
  readonly clock: Clock
}

/** A session of the SDK at work: what it says, and the ways to speak to it. */
export type Agent = ReturnType<typeof openAgent>

/** How long the SDK may take to hand over what its process said before it ended. */
const handOverMs = 1_000

/** Throws what the SDK throws, for example without its program. */
export function openAgent({ sdk, options, startProcess, clock }: AgentOptions) {
  const prompts = createAsyncQueue<string>()
  const messages = createAsyncQueue<object>()
  let started: AgentProcess | undefined
  let thrown: unknown
  const spawn = (wanted: SpawnOptions) => {
    started = startProcess(wanted)
    return started.child
  }
  const ask = () => {
    try {
      return sdk.query({ prompt: userMessages(prompts), options: options(spawn) })
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
    /** Why the SDK gave up, as it also does after a result that is an error. */
    thrown: () => thrown,
    say: (prompt: string) => void prompts.put(prompt),
    finish() {
      prompts.close()
      void process.leave()
    },
    /** The result of the turn still comes. Never throws. */
    interrupt: () => void query.interrupt().catch(() => undefined),
  }
}

/** One after another; the session lasts until they are closed. */
async function* userMessages(prompts: AsyncQueue<string>): AsyncGenerator<SDKUserMessage> {
  for (let prompt = await prompts.take(); prompt !== undefined; prompt = await prompts.take()) {
    yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null }
  }
}
