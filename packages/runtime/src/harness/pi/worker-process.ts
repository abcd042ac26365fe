import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Clock, Marker } from '../../kit/index.ts'
import { watchDescendants } from '../agent-descendants.ts'
import { descriptorShortage } from '../descriptors.ts'
import type { ToWorker } from './task.ts'
import { type Incoming, readMessages } from './worker-messages.ts'

export interface WorkerCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface WorkerOptions extends WorkerCommand {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  /** What its processes carry in their environment. */
  readonly marker: Marker
  /** Told of its process group and those of its descendants; what it returns is called when nothing is left of it. */
  readonly own: (group: number) => () => void
}

export type WorkerEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly message: string }

/** A process of ours that runs one agent. It leads its own process group and talks over one pipe, number 3. */
export interface WorkerProcess {
  /** Undefined while it runs. */
  readonly end: WorkerEnd | undefined
  /** Resolves when the process has ended; never rejects. */
  readonly ended: Promise<WorkerEnd>
  /** Never throws: what cannot be delivered any more is dropped. */
  send(message: ToWorker): void
  /** What it says, until it has nothing more to say. To be read once. Unread messages wait in the pipe. */
  messages(): AsyncGenerator<Incoming, void, undefined>
  /** Asks it to stop its agent, then to end, then ends it: 4 s, 5 s, at once. Idempotent; never rejects. */
  stop(): Promise<void>
  /** Waits for it to end by itself for as long as that is likely, then stops it. Never rejects. */
  finish(): Promise<void>
  /** To be called once it has worked and ended: ends whatever it left behind, wherever that went. Never rejects. */
  sweep(): Promise<void>
  /** The last of what it wrote to stderr. */
  lastWords(): string
}

/** Longer than the tools of the agent may take. */
const abortMs = 4_000
const graceMs = 5_000
const killedWithinMs = 2_000
const wordsKept = 4_000

/** Never throws: a worker that cannot be started ends at once. */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { clock, cwd: agentRoot } = options
  const child = launch(options)
  const leader = child instanceof Error ? undefined : child.pid
  const descendants = watchDescendants({ ...options, leader, agentRoot })
  const channel = channelOf(child)
  let end: WorkerEnd | undefined
  let words = ''
  let isRead = false
  let stopping: Promise<void> | undefined
  const ended = endOf(child).then(how => {
    end = how
    descendants.signal('SIGKILL')
    return how
  })
  if (child instanceof Error) words = child.message
  else child.stderr?.on('data', chunk => (words = `${words}${String(chunk)}`.slice(-wordsKept)))

  function send(message: ToWorker): void {
    if (channel?.writable) channel.write(`${JSON.stringify(message)}\n`)
  }

  async function endsWithin(ms: number): Promise<boolean> {
    const waiting = new AbortController()
    const late = clock.sleep(ms, waiting.signal).catch(() => undefined)
    await Promise.race([ended, late])
    waiting.abort()
    return end !== undefined
  }

  async function climb(): Promise<void> {
    send({ type: 'abort' })
    if (channel?.writable && (await endsWithin(abortMs))) return
    descendants.signal('SIGTERM')
    if (await endsWithin(graceMs)) return
    descendants.signal('SIGKILL')
    await endsWithin(killedWithinMs)
  }

  function stop(): Promise<void> {
    stopping ??= climb().finally(() => {
      // Whoever reads it may still have something to read. One that was given no work has started nothing.
      if (isRead) return
      channel?.destroy()
      descendants.close()
    })
    return stopping
  }

  return {
    get end() {
      return end
    },
    ended,
    send,
    messages() {
      isRead = true
      return readMessages(channel, { ended, clock })
    },
    stop,
    async finish() {
      if (!(await endsWithin(abortMs))) await stop()
    },
    async sweep() {
      await descendants.sweep()
      descendants.close()
    },
    lastWords: () => words.trim(),
  }
}

function launch({ command, args, cwd, env }: WorkerOptions): ChildProcess | Error {
  try {
    return spawn(command, args, {
      cwd,
      env: { ...env },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function channelOf(child: ChildProcess | Error): Socket | undefined {
  // A child has none of them when the system has no pipes left.
  const pipes: readonly unknown[] | undefined = child instanceof Error ? undefined : child.stdio
  const channel = pipes?.[3]
  if (!(channel instanceof Socket)) return undefined
  // A worker that is gone breaks the pipe; its end tells why.
  channel.on('error', () => undefined)
  return channel
}

function endOf(child: ChildProcess | Error): Promise<WorkerEnd> {
  if (child instanceof Error) return Promise.resolve({ kind: 'not-started', message: child.message })
  return new Promise(resolve => {
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'exited', code: code ?? 1 } : { kind: 'signaled', signal })
    })
    child.on('error', error => {
      if (child.pid === undefined)
        resolve({ kind: 'not-started', message: descriptorShortage(error) ?? error.message })
    })
  })
}
