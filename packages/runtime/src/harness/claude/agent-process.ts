import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { ProcessExit } from '@weave/protocol'
import { type Clock, errorCode, inTime, type Marker } from '../../kit/index.ts'
import { watchDescendants } from '../agent-descendants.ts'
import { createProviderLog, type ProviderLog } from './provider-log.ts'

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

export type AgentExit = ProcessExit | { readonly type: 'not-started'; readonly message: string }

/** The agent program, leader of its own process group, and all that it started. */
export interface AgentProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** How it ended; undefined as long as it has not. */
  readonly exit: AgentExit | undefined
  /** Resolves when it has ended or could not be started. Never rejects. */
  readonly ended: Promise<AgentExit>
  /** The end of what it wrote to stderr, without its log. */
  stderr(): string
  /** See `ProviderLog`. */
  waitLeft(): number | undefined
  /**
   * Lets it end by itself, which it does once its stdin has ended; one that takes too long is stopped. Then ends whatever
   * it left behind. Never rejects.
   */
  leave(): Promise<void>
  /** The same at once: SIGTERM to the group, the grace, SIGKILL. Also when it was already left. */
  stop(): Promise<void>
  /** For one that has not been given any work, and so has started nothing. Never rejects. */
  discard(): Promise<void>
}

/** How long the pipes may stay open when nothing of the agent is left. */
const lingerMs = 250

/** Throws what `spawn` throws. */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { clock, graceMs } = options
  const child = launch(options)
  const descendants = watchDescendants({ ...options, leader: child.pid })
  const log = createProviderLog(clock)
  const stderr = keepTail(child.stderr, log)
  const closed = Promise.all([child.stdout, child.stderr].map(isClosed))
  const hurry = new AbortController()
  let exit: AgentExit | undefined
  let gone: Promise<void> | undefined
  const ended = endOf(child, options.cwd).then(how => (exit = how))

  async function end(): Promise<void> {
    if (child.pid === undefined) return
    if (!(await inTime(ended, { ms: graceMs, signal: hurry.signal, clock }))) descendants.signal('SIGTERM')
    if (!(await inTime(ended, { ms: graceMs, clock }))) descendants.signal('SIGKILL')
    await ended
    descendants.signal('SIGTERM')
    await descendants.sweep()
    descendants.signal('SIGKILL')
    await inTime(closed, { ms: lingerMs, clock })
    letGo()
  }

  /** Whoever else holds the other ends of the pipes must not keep us. */
  function letGo(): void {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    descendants.close()
  }

  async function discard(): Promise<void> {
    descendants.signal('SIGKILL')
    await ended
    letGo()
  }

  const leave = () => (gone ??= end())
  return {
    child,
    get exit() {
      return exit
    },
    ended,
    stderr,
    waitLeft: log.waitLeft,
    leave,
    stop() {
      hurry.abort()
      return leave()
    },
    discard,
  }
}

function launch({ command, args, cwd, env }: AgentProcessOptions): AgentProcess['child'] {
  const child: ChildProcess = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...env },
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // The error of a child without pipes is told later; nobody listens for it when this throws.
  child.on('error', () => undefined)
  if (!isPiped(child)) throw Object.assign(new Error('There are no pipes left.'), { code: 'EMFILE' })
  // A program that has ended does not read its input; its end is told in another way.
  child.stdin.on('error', () => undefined)
  return child
}

/** A child has no pipes when the system has none left. */
function isPiped(child: ChildProcess): child is AgentProcess['child'] {
  return Boolean(child.stdin && child.stdout && child.stderr)
}

/** 'exit', not 'close': the latter waits for everyone who holds the pipes. */
function endOf(child: AgentProcess['child'], cwd: string | undefined): Promise<AgentExit> {
  return new Promise(resolve => {
    child.once('exit', (code, signal) => {
      if (signal !== null) resolve({ type: 'killed', signal })
      else resolve(code === 0 ? { type: 'success' } : { type: 'error', code: code ?? 1 })
    })
    child.on('error', error => {
      if (child.pid === undefined) resolve({ type: 'not-started', message: describe(error, cwd) })
    })
  })
}

/** The system blames the program when it is the working directory that is missing. */
function describe(error: Error, cwd: string | undefined): string {
  const isMissing = errorCode(error) === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  return isMissing ? `The working directory ${cwd} does not exist.` : error.message
}

const tailLength = 4_000

function keepTail(stream: Readable, log: ProviderLog): () => string {
  let tail = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    tail = (tail + log.read(text)).slice(-tailLength)
  })
  stream.on('error', () => undefined)
  return () => `${tail}${log.rest()}`.trim().slice(-tailLength)
}

function isClosed(stream: Readable): Promise<void> {
  return new Promise(resolve => stream.once('close', () => resolve()))
}
