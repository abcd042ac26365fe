import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import {
  type Clock,
  inTime,
  keepTail,
  type LaunchOptions,
  type Supervised,
  streamClosed,
  supervise,
  tailLength,
} from '../../kit/index.ts'
import { createProviderLog } from './provider-log.ts'

export interface AgentProcessOptions extends LaunchOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly clock: Clock
  readonly graceMs: number
}

/** The agent program and all that it started. */
export type AgentProcess = ReturnType<typeof startAgentProcess>

type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>

/** How long the pipes may stay open when nothing of the agent is left. */
const lingerMs = 250

/** Throws when the system has nothing left to start it with. */
export function startAgentProcess({ command, args, ...options }: AgentProcessOptions) {
  const { graceMs, clock } = options
  const program = supervise(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  const child = pipedChild(program)
  const log = createProviderLog(clock)
  const tail = keepTail(child.stderr, log.read)
  const closed = Promise.all([child.stdout, child.stderr].map(streamClosed))
  const hurry = new AbortController()
  let gone: Promise<void> | undefined

  async function end(): Promise<void> {
    if (!(await inTime(program.ended, { ms: graceMs, signal: hurry.signal, clock }))) program.stop('stopped')
    await program.sweep()
    await inTime(closed, { ms: lingerMs, clock })
    letGo()
  }

  /** Lets it end by itself, as it does once its stdin has ended, or stops it; then sweeps. Never rejects. */
  function leave(): Promise<void> {
    gone ??= end()
    return gone
  }

  /** Whoever else holds the other ends of the pipes must not keep us. */
  function letGo(): void {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
  }

  return {
    child,
    get exit() {
      return program.end
    },
    ended: program.ended,
    /** Without its log. */
    stderr: () => `${tail()}${log.rest()}`.trim().slice(-tailLength),
    waitLeft: log.waitLeft,
    leave,
    /** Without waiting, also when it was already left. */
    stop(): Promise<void> {
      hurry.abort()
      return leave()
    },
    /** For one that has not been given any work. Never rejects. */
    discard: () => program.discard().then(letGo),
  }
}

/** A child has no pipes when the system has none left. */
function pipedChild({ child, end }: Supervised): PipedChild {
  if (isPiped(child)) return child
  const { message = 'There are no pipes left.', code = 'EMFILE' } = end?.error ?? {}
  throw Object.assign(new Error(message), { code })
}

function isPiped(child: ChildProcess | undefined): child is PipedChild {
  return Boolean(child?.stdin && child.stdout && child.stderr)
}
