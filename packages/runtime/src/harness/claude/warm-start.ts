import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { Options, SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import type { AgentProcess } from './agent-process.ts'
import type { SdkModule, SessionTask, Spawn } from './sdk.ts'

/** How the agent program is started in some surroundings. */
export interface Launch {
  readonly options: (task: SessionTask) => Options
  /** Throws what `spawn` throws. */
  readonly startProcess: (wanted: SpawnOptions) => AgentProcess
}

export type WarmStart = ReturnType<typeof createWarmStart>

/**
 * Starts the agent program ahead of its task, which saves most of the time to its first request.
 *
 * The command line and the environment of the program depend on its surroundings only, as long as the session is a new
 * one; prompts are told to it later. So the SDK is asked for its command with a stand-in for the process, the program is
 * started with it, and is handed to the SDK when that asks for the same command again. Nothing here throws or rejects.
 */
export function createWarmStart(load: () => Promise<SdkModule>) {
  let making: ReturnType<typeof makeReady> = Promise.resolve(undefined)

  /** What was made ready, if anything; it is the caller's now. */
  function claim() {
    const made = making
    making = Promise.resolve(undefined)
    return made
  }

  async function close(): Promise<void> {
    await (await claim())?.discard()
  }

  return {
    claim,
    close,
    /** Ends what was made ready before. */
    prepare(launch: Launch): void {
      const closed = close()
      making = closed.then(() => makeReady(load, launch))
    },
  }
}

/** The agent program, started and waiting for its first word. */
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
      /** The process, if it still lives and was started in the very way that is wanted now; otherwise it is ended. */
      take(wanted: SpawnOptions): AgentProcess | undefined {
        if (process.exit === undefined && isDeepStrictEqual(plain(wanted), command)) return process
        void process.discard()
        return undefined
      },
    }
  } catch {
    // The start that follows meets the same error and reports it.
    return undefined
  }
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
