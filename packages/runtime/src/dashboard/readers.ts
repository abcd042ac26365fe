import { Worker } from 'node:worker_threads'
import { createSemaphore, messageOf, type Refused, systemClock } from '../kit/index.ts'
import {
  dearJobs,
  type FromReader,
  type Job,
  type Manner,
  type ReadRefusal,
  refused,
  type ToReader,
} from './job.ts'

/** The file, and its arguments, in which a worker thread calls `runReaderThread`. */
export interface ReaderEntry {
  readonly file: string | URL
  readonly argv?: readonly string[]
}

export interface Asking {
  /** Ends the reading. */
  readonly signal: AbortSignal
  readonly onHead: (headers: Readonly<Record<string, string>>) => void
  readonly onBytes: (bytes: Uint8Array) => void
}

type Outcome = { readonly ok: true } | Refused<ReadRefusal>

export type Readers = ReturnType<typeof createReaders>

/** So many of the dear questions are read at a time, and so many may wait. */
const atOnce = 2
const mostWaiting = 64
/** Without a question for so long, the thread ends; the next question starts another. */
const longestRestMs = 60_000

/**
 * The threads in which a host reads executions, so that a run's own event loop never scans a journal. `ask` never rejects.
 *
 * A polite host has more to do than to answer pages: its readings let everything else go first. What reads for long has a
 * thread of its own there, which works only while a core is free; on a busy machine the few lines that a page shows would wait
 * for seconds in it.
 */
export function createReaders(entry: ReaderEntry, { isPolite = false } = {}) {
  const dear = createSemaphore({ permits: atOnce, waiting: mostWaiting })
  const little = createReader({ ...entry, manner: isPolite ? 'polite' : 'free' })
  const long = isPolite ? createReader({ ...entry, manner: 'idle' }) : little
  const readerOf = ({ kind }: Job) => (dearJobs.has(kind) ? long : little)
  return {
    /** A question will come soon: the thread is there when it comes. */
    wake: little.wake,
    /** This question will come soon: what it needs is read when it comes. */
    async expect(job: Job): Promise<void> {
      await readerOf(job).read(job, { signal: never, onHead: () => undefined, onBytes: () => undefined })
    },
    async ask(job: Job, asking: Asking): Promise<Outcome> {
      const reader = readerOf(job)
      if (!dearJobs.has(job.kind)) return reader.read(job, asking)
      const release = await dear.acquire()
      if (!release) return refused('BUSY', 'Too many questions are waiting. Try again.')
      try {
        return await reader.read(job, asking)
      } finally {
        release()
      }
    },
    async close(): Promise<void> {
      await Promise.all([little, long].map(reader => reader.close()))
    },
  }
}

/** One thread. It is started by the first question and again after a failure or a rest. */
function createReader(entry: ThreadEntry) {
  let thread: ReturnType<typeof startThread> | undefined
  let underWay = 0
  let isClosed = false
  let resting = new AbortController()

  /** What a thread has read is worth its memory only while somebody asks. */
  const rest = (): void => {
    resting.abort()
    // A reading that closing cut off ends here, too: a rest would keep the whole process for its length.
    if (isClosed) return
    resting = new AbortController()
    systemClock.sleep(longestRestMs, resting.signal).then(
      () => {
        if (underWay > 0) return
        // The next question must not be asked of one that is ending.
        const ending = thread
        thread = undefined
        void ending?.end()
      },
      () => undefined,
    )
  }

  const started = () => {
    if (thread) return thread
    const own = startThread(entry, () => {
      if (thread === own) thread = undefined
    })
    thread = own
    return own
  }
  return {
    wake(): void {
      started()
      rest()
    },
    async read(job: Job, asking: Asking): Promise<Outcome> {
      if (asking.signal.aborted || isClosed) return gone
      underWay++
      const outcome = await started().ask(job, asking)
      underWay--
      rest()
      return outcome
    },
    async close(): Promise<void> {
      isClosed = true
      resting.abort()
      await thread?.end()
    },
  }
}

const never = new AbortController().signal
const gone = refused('BUSY', 'Nobody waits for the answer.')

interface Open {
  readonly asking: Asking
  readonly settle: (outcome: Outcome) => void
}

interface ThreadEntry extends ReaderEntry {
  readonly manner: Manner
}

function startThread({ file, argv, manner }: ThreadEntry, ended: () => void) {
  const worker = new Worker(file, {
    argv: [...(argv ?? [])],
    workerData: { manner },
    stdin: false,
    stdout: true,
    stderr: true,
    // A small young generation: what a question reads is soon garbage, and the thread stays as long as somebody looks.
    resourceLimits: { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 12 },
  })
  worker.unref()
  const open = new Map<number, Open>()
  let last = 0
  const tell = (message: ToReader): void => worker.postMessage(message)
  const fail = (why: string): void => {
    ended()
    for (const { settle } of open.values()) settle(refused('BUSY', `It could not be read: ${why}.`))
  }
  worker.on('message', (said: FromReader) => hear(said, open.get(said.id)))
  worker.on('error', error => fail(messageOf(error)))
  worker.on('exit', () => fail('the reading thread ended'))
  return {
    ask(job: Job, asking: Asking): Promise<Outcome> {
      const id = ++last
      const cancel = (): void => {
        tell({ id, cancel: true })
        open.get(id)?.settle(gone)
      }
      asking.signal.addEventListener('abort', cancel)
      return new Promise<Outcome>(settle => {
        open.set(id, { asking, settle })
        tell({ id, job })
      }).finally(() => {
        asking.signal.removeEventListener('abort', cancel)
        open.delete(id)
      })
    },
    end: async () => void (await worker.terminate()),
  }
}

function hear(said: FromReader, open: Open | undefined): void {
  if (!open) return
  if ('headers' in said) open.asking.onHead(said.headers)
  else if ('bytes' in said) open.asking.onBytes(said.bytes)
  else open.settle('end' in said ? { ok: true } : { ok: false, ...said.refused })
}
