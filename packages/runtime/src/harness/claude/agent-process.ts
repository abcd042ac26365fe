import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import {
  type Clock,
  inTime,
  keepTail,
  type Marker,
  type ProcessEnd,
  type Supervised,
  supervise,
  tailLength,
} from '../../kit/index.ts'
import { createProviderLog } from './provider-log.ts'

export interface AgentProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly marker: Marker
  /** The agent workspace: what the agent left astray there is ended. */
  readonly agentRoot: string
  readonly clock: Clock
  /** How long it may take to end when asked to. */
  readonly graceMs: number
  /** Told of the process group; what it returns is called when nothing is left of it. */
  readonly own: (leader: number) => () => void
}

/** The agent program and all that it started. */
export interface AgentProcess {
  readonly child: PipedChild
  /** How it ended; undefined as long as it has not. */
  readonly exit: ProcessEnd | undefined
  /** Resolves when it has ended or could not be started. Never rejects. */
  readonly ended: Promise<ProcessEnd>
  /** The end of what it wrote to stderr, without its log. */
  stderr(): string
  /** See `ProviderLog`. */
  waitLeft(): number | undefined
  /**
   * Lets it end by itself, which it does once its stdin has ended; one that takes too long is stopped. Then ends whatever
   * it left behind. Never rejects.
   */
  leave(): Promise<void>
  /** The same without waiting. Also when it was already left. */
  stop(): Promise<void>
  /** For one that has not been given any work, and so has started nothing. Never rejects. */
  discard(): Promise<void>
}

type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>

/** How long the pipes may stay open when nothing of the agent is left. */
const lingerMs = 250

/** Throws when the system has nothing left to start it with. */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { command, args, cwd, env, marker, agentRoot: premises, own, graceMs, clock } = options
  const stdio = ['pipe', 'pipe', 'pipe'] as const
  const program = supervise(command, args, { cwd, env, marker, premises, own, graceMs, clock, stdio })
  const child = pipedChild(program)
  const pipes = [child.stdin, child.stdout, child.stderr]
  const log = createProviderLog(clock)
  const tail = keepTail(child.stderr, log.read)
  const closed = Promise.all([child.stdout, child.stderr].map(isClosed))
  const hurry = new AbortController()
  let gone: Promise<void> | undefined

  async function end(): Promise<void> {
    if (!(await inTime(program.ended, { ms: graceMs, signal: hurry.signal, clock }))) program.stop('stopped')
    await program.sweep()
    await inTime(closed, { ms: lingerMs, clock })
    letGo()
  }

  function leave(): Promise<void> {
    gone ??= end()
    return gone
  }

  /** Whoever else holds the other ends of the pipes must not keep us. */
  function letGo(): void {
    for (const pipe of pipes) pipe.destroy()
  }

  return {
    child,
    get exit() {
      return program.end
    },
    ended: program.ended,
    stderr: () => `${tail()}${log.rest()}`.trim().slice(-tailLength),
    waitLeft: log.waitLeft,
    leave,
    stop() {
      hurry.abort()
      return leave()
    },
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

function isClosed(stream: Readable): Promise<void> {
  return new Promise(resolve => stream.once('close', () => resolve()))
}
