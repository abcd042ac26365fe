import { type Clock, inTime, keepTail, type LaunchOptions, supervise } from '../../kit/index.ts'
import { readMessages } from './worker-messages.ts'
import type { ToWorker } from './worker-protocol.ts'

export interface WorkerCommand {
  readonly command: string
  readonly args: readonly string[]
}

interface WorkerOptions extends WorkerCommand, LaunchOptions {
  readonly cwd: string
  readonly clock: Clock
}

/** A process of ours that runs one agent. It talks over one pipe, number 3. */
export type WorkerProcess = ReturnType<typeof startWorker>

/** Longer than the tools of the agent may take. */
const abortMs = 4_000

/** Never throws: a worker that cannot be started ends at once. */
export function startWorker({ command, args, ...options }: WorkerOptions) {
  const { cwd: premises, clock } = options
  const program = supervise(command, args, {
    ...options,
    premises,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const { ended, sweep, child } = program
  const channel = program.pipe(3)
  const lastWords = child?.stderr ? keepTail(child.stderr) : () => ''
  let stopping: Promise<void> | undefined

  /** What cannot be delivered any more is dropped. */
  function send(message: ToWorker): void {
    if (channel?.writable) channel.write(`${JSON.stringify(message)}\n`)
  }

  async function climb(): Promise<void> {
    send({ type: 'abort' })
    if (channel?.writable && (await inTime(ended, { ms: abortMs, clock }))) return
    program.stop('stopped')
    await ended
  }

  /** Asks it to stop its agent, then to end, then ends it: 4 s, 5 s, at once. Never rejects. */
  function stop(): Promise<void> {
    stopping ??= climb()
    return stopping
  }

  return {
    get end() {
      return program.end
    },
    send,
    /** To be read once. Unread messages wait in the pipe. */
    messages() {
      // Whoever takes the messages may be slow; what the worker left behind does not wait for that.
      void ended.then(sweep)
      return readMessages(channel, { ended, clock })
    },
    stop,
    /** Waits for it to end by itself, then stops it. Never rejects. */
    async finish(): Promise<void> {
      if (!(await inTime(ended, { ms: abortMs, clock }))) await stop()
    },
    sweep,
    async discard(): Promise<void> {
      await program.discard()
      channel?.destroy()
    },
    lastWords: () => lastWords().trim(),
  }
}
