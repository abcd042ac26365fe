import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { Options, SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import { isAlive } from '../../kit/index.ts'
import type { AgentProcess } from './agent-process.ts'
import type { SdkModule, SessionTask, Spawn } from './sdk.ts'

/** How the agent program is started in some surroundings. */
export interface Launch {
  readonly options: (task: SessionTask) => Options
  readonly startProcess: (wanted: SpawnOptions) => AgentProcess
  /** Of what the program reads when it starts, besides its command line. */
  readonly fingerprint: string
  /** Equal when a program that was made ready for the one serves the other. */
  readonly key: string
}

export type WarmStart = ReturnType<typeof createWarmStart>

/**
 * Starts the agent program ahead of its task. Its command line depends on its surroundings only, as long as the session is
 * new; prompts are told to it later. So the SDK is asked for its command with a stand-in for the process, the program is
 * started, and is handed over when the SDK asks for the same command again. Nothing throws or rejects.
 */
export function createWarmStart(load: () => Promise<SdkModule>) {
  let making: ReturnType<typeof makeReady> = Promise.resolve(undefined)
  let madeFor: Launch | undefined

  /** It is the caller's now. */
  function claim() {
    const made = making
    making = Promise.resolve(undefined)
    madeFor = undefined
    return made
  }

  async function close(): Promise<void> {
    await (await claim())?.discard()
  }

  return {
    claim,
    close,
    /** One that has died meanwhile is found out when it is taken. */
    prepare(launch: Launch): void {
      if (madeFor?.key === launch.key) return
      const closed = close()
      madeFor = launch
      making = closed.then(() => makeReady(load, launch))
    },
  }
}

async function makeReady(load: () => Promise<SdkModule>, launch: Launch) {
  const sessionId = randomUUID()
  try {
    const asked = commandOf(await load(), spawn => launch.options({ sessionId, spawn }))
    if (!asked) return undefined
    const command = plain(asked)
    const process = launch.startProcess(asked)
    return {
      sessionId,
      discard: process.discard,
      /** The process, if it lives and was started in the very way that is wanted now; otherwise it is ended. */
      take(wanted: SpawnOptions, { fingerprint }: Launch): AgentProcess | undefined {
        const isSame = fingerprint === launch.fingerprint && isDeepStrictEqual(plain(wanted), command)
        if (isSame && lives(process)) return process
        void process.discard()
        return undefined
      },
    }
  } catch {
    // The start that follows meets the same error and reports it.
    return undefined
  }
}

/** One that died a moment ago has told nobody yet; the system knows. */
function lives({ exit, child }: AgentProcess): boolean {
  return exit === undefined && child.pid !== undefined && isAlive(child.pid)
}

function plain({ command, args, cwd, env }: SpawnOptions) {
  return { command, args: [...args], cwd, env: { ...env } }
}

/** What the SDK would start. It is told nothing and closed at once. */
export function commandOf(sdk: SdkModule, options: (spawn: Spawn) => Options): SpawnOptions | undefined {
  let wanted: SpawnOptions | undefined
  const { process, end } = standIn()
  const query = sdk.query({
    prompt: noPrompt(),
    options: options(asked => {
      wanted = asked
      return process
    }),
  })
  end()
  query.close()
  return wanted
}

async function* noPrompt(): AsyncGenerator<never> {
  // Nothing is ever said.
}

/** The SDK holds on to a process, and to all that belongs to it, until it has ended. */
function standIn(): { readonly process: SpawnedProcess; end(): void } {
  const stdout = new PassThrough()
  const process = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout,
    killed: false,
    exitCode: null as number | null,
    signalCode: null,
    kill: () => true,
  })
  return {
    process,
    end() {
      process.exitCode = 0
      stdout.end()
      process.emit('exit', 0, null)
    },
  }
}
