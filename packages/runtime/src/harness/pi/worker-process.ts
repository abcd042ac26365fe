import { type Clock, inTime, keepTail, type Marker, type ProcessEnd, supervise } from '../../kit/index.ts'
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

/** A process of ours that runs one agent. It talks over one pipe, number 3. */
export interface WorkerProcess {
  /** Undefined while it runs. */
  readonly end: ProcessEnd | undefined
  /** Never throws: what cannot be delivered any more is dropped. */
  send(message: ToWorker): void
  /** What it says, until it has nothing more to say. To be read once. Unread messages wait in the pipe. */
  messages(): AsyncGenerator<Incoming, void, undefined>
  /** Asks it to stop its agent, then to end, then ends it: 4 s, 5 s, at once. Idempotent; never rejects. */
  stop(): Promise<void>
  /** Waits for it to end by itself for as long as that is likely, then stops it. Never rejects. */
  finish(): Promise<void>
  /** Once it has ended: resolves when nothing that it left behind is left, wherever that went. Never rejects. */
  sweep(): Promise<void>
  /** For one that was given no work. Never rejects. */
  discard(): Promise<void>
  /** The last of what it wrote to stderr. */
  lastWords(): string
}

/** Longer than the tools of the agent may take. */
const abortMs = 4_000

/** Never throws: a worker that cannot be started ends at once. */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { command, args, cwd, env, marker, own, clock } = options
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe'] as const
  const program = supervise(command, args, { cwd, env, marker, premises: cwd, own, clock, stdio })
  const { ended, sweep, child } = program
  const channel = program.pipe(3)
  const lastWords = child?.stderr ? keepTail(child.stderr) : () => ''
  let stopping: Promise<void> | undefined

  function send(message: ToWorker): void {
    if (channel?.writable) channel.write(`${JSON.stringify(message)}\n`)
  }

  async function climb(): Promise<void> {
    send({ type: 'abort' })
    if (channel?.writable && (await inTime(ended, { ms: abortMs, clock }))) return
    program.stop('stopped')
    await ended
  }

  function stop(): Promise<void> {
    stopping ??= climb()
    return stopping
  }

  return {
    get end() {
      return program.end
    },
    send,
    messages() {
      // Whoever takes the messages may be slow; what the worker left behind does not wait for that.
      void ended.then(sweep)
      return readMessages(channel, { ended, clock })
    },
    stop,
    async finish() {
      if (!(await inTime(ended, { ms: abortMs, clock }))) await stop()
    },
    sweep,
    async discard() {
      await program.discard()
      channel?.destroy()
    },
    lastWords: () => lastWords().trim(),
  }
}
