import { Worker } from 'node:worker_threads'
import { type Clock, createSerialQueue, type Deadline, inTime, messageOf, within } from '../kit/index.ts'
import { jobStarted, type SandboxAnswer, type SandboxJob, startEffort, type TimedJob } from './sandbox-job.ts'

/** The file, and its arguments, in which a worker thread calls `runSandboxWorker`. */
export interface SandboxEntry {
  readonly file: string | URL
  readonly argv?: readonly string[]
}

export type Sandbox = ReturnType<typeof createSandbox>

/** So long may a job compute. */
const defaultLimit = 1_000
/** Loading the interpreter on a busy machine takes time that is not the job's. */
const startPatience = 30_000
/** Without a job for so long, the thread ends; the next job starts another, in a tenth of a second. */
const longestRest = 10_000

/**
 * A thread for what a hank wants computed: templates and comparisons with schemas. Nothing in there can reach the program,
 * block it, or outlive its time. Its interpreter takes 15 MB, which are worth it only while there are jobs: most agents let a
 * sentinel wait for longer than a start takes.
 */
export function createSandbox(entry: SandboxEntry, clock: Clock, { milliseconds = defaultLimit } = {}) {
  const closing = new AbortController()
  let thread: ReturnType<typeof startThread> | undefined
  const jobs = createSerialQueue()
  let resting = new AbortController()

  function rest(): void {
    resting = new AbortController()
    const { signal } = resting
    clock.sleep(longestRest, signal).then(
      () => {
        // A job came in just the same moment.
        if (signal.aborted) return
        // The next job must not be given to one that is ending.
        const ending = thread
        thread = undefined
        void ending?.end()
      },
      () => undefined,
    )
  }

  async function perform(job: SandboxJob): Promise<SandboxAnswer> {
    if (closing.signal.aborted) return ended
    thread ??= startThread(entry)
    const current = thread
    const limit = { clock, signal: closing.signal }
    const { started, answer } = current.ask({ job, milliseconds })
    await inTime(Promise.race([started, answer]), { ...limit, ms: startPatience })
    const result = await patiently(answer, { ...limit, ms: 2 * milliseconds })
    if (result && !('isBroken' in result)) return result
    // Whatever it still says, nobody listens any more.
    thread = undefined
    await current.end()
    return result ?? (closing.signal.aborted ? ended : late)
  }

  return {
    /** One job at a time, in order. Never rejects. */
    run: (job: SandboxJob) =>
      jobs.run(async () => {
        resting.abort()
        const answer = await perform(job)
        if (thread && !closing.signal.aborted) rest()
        return answer
      }),
    /** Ends the thread and whatever it is doing. Never rejects. */
    async close(): Promise<void> {
      closing.abort()
      resting.abort()
      await jobs.run(() => undefined)
      await thread?.end()
    },
  }
}

const ended: SandboxAnswer = { ok: false, kind: 'limit', message: 'it was stopped' }
const late: SandboxAnswer = { ok: false, kind: 'limit', message: 'it did not come to an end and was stopped' }

/**
 * Undefined when it has computed for longer than it may, or has not come to an end for no reason that can be seen. Some
 * of the interpreter's own functions do not look at the time.
 */
async function patiently<T>(answer: Promise<T>, limit: Deadline): Promise<T | undefined> {
  const effort = startEffort()
  for (let times = 0; times < mostTimes; times++) {
    const result = await within(
      limit,
      () => answer,
      () => undefined,
    )
    if (result !== undefined || limit.signal?.aborted || effort() >= limit.ms) return result
  }
  return undefined
}

const mostTimes = 15

function startThread({ file, argv }: SandboxEntry) {
  const worker = new Worker(file, {
    argv: [...(argv ?? [])],
    // Nothing of ours is in there, should anyone ever get out of the interpreter; and what it prints is not shown.
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    // What lives shortly is small there: templates live in the memory of the interpreter.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4, stackSizeMb: 4 },
  })
  worker.unref()
  let start = (): void => undefined
  let settle: (answer: SandboxAnswer) => void = () => undefined
  worker.on('message', (said: SandboxAnswer | typeof jobStarted) =>
    said === jobStarted ? start() : settle(said),
  )
  worker.on('error', error => settle(lost(messageOf(error))))
  worker.on('exit', () => settle(lost('its thread ended')))
  return {
    /** One question at a time. `started`: all is loaded that the job needs. Neither rejects. */
    ask(job: TimedJob) {
      const started = new Promise<void>(resolve => {
        start = resolve
      })
      const answer = new Promise<SandboxAnswer>(resolve => {
        settle = resolve
      })
      worker.postMessage(job)
      return { started, answer }
    },
    end: async () => void (await worker.terminate()),
  }
}

function lost(why: string): SandboxAnswer {
  return { ok: false, kind: 'limit', message: `it could not be run: ${why}`, isBroken: true }
}
