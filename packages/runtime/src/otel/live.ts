import { Worker } from 'node:worker_threads'
import type { Journal } from '../journal/index.ts'
import { type Clock, inTime, type Log, messageOf, type Redactor } from '../kit/index.ts'
import { type SentNote, writeSentNote } from './cursor.ts'
import { longestGoodbye } from './follower.ts'
import type { FromThread, ToThread, TracedRun } from './thread-messages.ts'

/** The file, and its arguments, in which a worker thread calls `runTracesThread`. */
export interface TracesEntry {
  readonly file: string | URL
  readonly argv?: readonly string[]
}

export interface LiveOptions extends Omit<TracedRun, 'firstLive'> {
  readonly entry: TracesEntry
  readonly journal: Pick<Journal, 'subscribe' | 'lastSeq'>
  readonly redactor: Redactor
  readonly clock: Clock
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called before something is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
}

export interface LiveTraces {
  /** Sends what is left within five seconds. Never rejects. */
  close(): Promise<void>
}

/** Milliseconds. */
const tellsEvery = 500
const notesEvery = 2_000
const patience = longestGoodbye + 1_000

/**
 * Follows the journal of a run and sends the spans that are over. Reading, folding, encoding and sending are the work of a
 * thread, which is told now and then that more was written. Nothing of a run waits for it, and nothing that goes wrong in it
 * reaches one: it is said in the log.
 */
export function startLiveTraces(options: LiveOptions): LiveTraces {
  const { journal, clock, log } = options
  const thread = startThread(options)
  let isTold = false
  const tellOfMore = (): void => {
    isTold = false
    thread.tell({ type: 'more' })
  }
  const leave = journal.subscribe(() => {
    if (isTold || !thread.isRunning()) return
    isTold = true
    setTimeout(tellOfMore, tellsEvery).unref()
  })
  return {
    async close() {
      leave()
      thread.tell({ type: 'close', lastSeq: journal.lastSeq })
      const isDone = await inTime(thread.closed, { clock, ms: patience })
      await thread.end()
      if (isDone) log.debug('OTEL', 'spans are sent')
      else
        log.warn('OTEL', 'some spans were not sent: there was no time left; weave export --otlp sends them')
    },
  }
}

function startThread({ entry, journal, environment, ...options }: LiveOptions) {
  const { settings, executionId, rehearsal, layout, weaveVersion, log, redactor } = options
  const firstLive = journal.lastSeq + 1
  const run: TracedRun = { settings, executionId, rehearsal, layout, weaveVersion, firstLive }
  const worker = new Worker(entry.file, {
    argv: [...(entry.argv ?? [])],
    workerData: run,
    env: Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  })
  worker.unref()
  let isRunning = true
  const notes = createNotes(options)
  const tell = (message: ToThread): void => worker.postMessage(message)
  const closed = new Promise<void>(resolve => {
    const stopped = (why: string): void => {
      if (isRunning) log.warn('OTEL', `no spans are sent: ${why}; weave export --otlp sends them`)
      isRunning = false
      resolve()
    }
    worker.on('error', error => stopped(messageOf(error)))
    worker.on('exit', () => stopped('the thread that sends them ended'))
    worker.on('message', (said: FromThread) => {
      if (said.type === 'log') log[said.level]('OTEL', said.message)
      if (said.type === 'raw')
        tell({ type: 'clean', id: said.id, attributes: redactor.json(said.attributes) })
      if (said.type === 'sent') notes.keep(said.note)
      if (said.type !== 'closed') return
      isRunning = false
      resolve()
    })
  })
  return {
    tell,
    closed,
    isRunning: () => isRunning,
    /** Never rejects. */
    async end() {
      isRunning = false
      await worker.terminate()
      await notes.flush()
    },
  }
}

/** Writes down how far spans were taken, now and then: syncing a file makes the journal of the run wait, too. */
function createNotes({ layout, assertHeld }: Pick<LiveOptions, 'layout' | 'assertHeld'>) {
  let latest: SentNote | undefined
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const write = async (): Promise<void> => {
    const note = latest
    latest = undefined
    timer = undefined
    if (!note) return
    try {
      assertHeld()
      await writeSentNote(layout.tracesFile, note)
    } catch {
      // Then it is sent again.
    }
  }
  const begin = (): void => {
    writing = writing.then(write)
  }
  return {
    keep(note: SentNote): void {
      latest = note
      timer ??= setTimeout(begin, notesEvery).unref()
    },
    /** Never rejects. */
    async flush(): Promise<void> {
      clearTimeout(timer)
      begin()
      await writing
    },
  }
}
