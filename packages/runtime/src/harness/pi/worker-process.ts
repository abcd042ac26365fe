import type { Socket } from 'node:net'
import {
  type Clock,
  inTime,
  keepTail,
  type Line,
  type Marker,
  type ProcessEnd,
  splitLines,
  supervise,
} from '../../kit/index.ts'
import { type FromWorker, fromWorker, type ToWorker } from './worker-protocol.ts'

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

export type Incoming = FromWorker | { readonly type: 'garbage'; readonly message: string }

interface ReadOptions {
  /** Resolves when the worker has ended. */
  readonly ended: Promise<unknown>
  readonly clock: Clock
}

const maxLineBytes = 32 << 20
/** How long a pipe that is held open by someone else may be silent once the worker has ended. */
const lingerMs = 250

/**
 * The messages that come over a channel. Reads no faster than they are taken, so that a flood waits in the worker and
 * not here. What is no message comes once, as `garbage`, and is the last. Closes the channel at the end.
 * Never rejects.
 */
async function* readMessages(
  channel: Socket | undefined,
  options: ReadOptions,
): AsyncGenerator<Incoming, void, undefined> {
  if (!channel) return
  const splitter = splitLines({ maxLineBytes })
  let unfinished = 0
  try {
    for await (const chunk of chunksOf(channel, options)) {
      const lines = splitter.push(chunk)
      unfinished = lines.length > 0 ? 0 : unfinished + chunk.length
      const messages = unfinished > maxLineBytes ? [tooLong] : lines.map(parse)
      for (const message of messages) {
        yield message
        if (message.type === 'garbage') return
      }
    }
  } finally {
    channel.destroy()
  }
}

async function* chunksOf(
  channel: Socket,
  { ended, clock }: ReadOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks: AsyncIterator<Buffer> = channel[Symbol.asyncIterator]()
  const silence = createSilence(ended, clock)
  for (;;) {
    // A channel that is destroyed while it is read ends like any other.
    const next = chunks.next().then(
      result => (result.done ? undefined : result.value),
      () => undefined,
    )
    const chunk = await Promise.race([next, silence.begins()])
    silence.ends()
    if (!chunk) return
    yield chunk
  }
}

/**
 * A wait that is over `lingerMs` after the worker has ended. It is begun for every chunk, so nothing of it may be left
 * behind on the promise of the end.
 */
function createSilence(ended: Promise<unknown>, clock: Clock) {
  let hasEnded = false
  let wake: (() => void) | undefined
  let waiting = new AbortController()
  void ended.then(() => {
    hasEnded = true
    wake?.()
  })
  return {
    async begins(): Promise<undefined> {
      const { signal } = waiting
      await new Promise<void>(resolve => {
        wake = resolve
        if (hasEnded) resolve()
      })
      await clock.sleep(lingerMs, signal).catch(() => undefined)
    },
    ends(): void {
      wake = undefined
      waiting.abort()
      waiting = new AbortController()
    },
  }
}

const tooLong = garbage(`a message of more than ${maxLineBytes >> 20} MiB`)

function parse({ bytes, ...line }: Line): Incoming {
  if (line.tooLong) return tooLong
  try {
    const message = fromWorker.safeParse(JSON.parse(bytes.toString()))
    return message.success ? message.data : garbage('a message of an unknown shape')
  } catch {
    return garbage('something that is not a message')
  }
}

function garbage(what: string): Incoming {
  return { type: 'garbage', message: `The agent worker wrote ${what}.` }
}
