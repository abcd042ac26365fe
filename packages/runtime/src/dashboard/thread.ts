import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { fieldsOf, messageOf } from '../kit/index.ts'
import { createExecutionIndex } from './executions.ts'
import {
  type Answered,
  type FromReader,
  type Job,
  jsonType,
  littleJobs,
  type Manner,
  refused,
  type Sink,
  type ToReader,
} from './job.ts'
import type { Perform, ReaderTools } from './jobs.ts'
import { createTurns, type Turns } from './turns.ts'

/** The thread that reads executions for a host. Call it as the entry of a worker thread. */
export function runReaderThread(tools: () => Promise<ReaderTools>): void {
  const port = parentPort
  if (!port) throw new Error('runReaderThread is for the entry of a worker thread')
  const manner = fieldsOf(workerData)['manner'] as Manner | undefined
  const isPolite = manner === 'polite' || manner === 'idle'
  if (isPolite) giveWay(manner)
  const perform = performerOf(tools)
  const open = new Map<number, AbortController>()
  const turns = createTurns({ isPolite })
  const say = (message: FromReader): void => port.postMessage(message)
  port.on('message', (message: ToReader) => {
    const { id } = message
    if ('cancel' in message) {
      open.get(id)?.abort()
      return
    }
    const controller = new AbortController()
    open.set(id, controller)
    const ended = littleJobs.has(message.job.kind) ? turns.short() : undefined
    void performed(message.job, perform, sinkOf(id, { signal: controller.signal, say, turns }))
      .then(answer => {
        if (controller.signal.aborted) return
        if (!answer.ok) return say({ id, refused: { code: answer.code, message: answer.message } })
        if (answer.value) {
          say({ id, headers: { 'content-type': jsonType } })
          say({ id, bytes: Buffer.from(`${JSON.stringify(answer.value)}\n`) })
        }
        say({ id, end: true })
      })
      .finally(() => {
        ended?.()
        open.delete(id)
      })
  })
}

const lowPriority = 19

/**
 * Only on Linux, where a priority is that of a thread; elsewhere it would be that of the run. By its priority alone a thread goes on for
 * some milliseconds when somebody else wants its core; with the policy for idle times it does not. Only a program can set that.
 */
function giveWay(manner: Manner): void {
  if (process.platform !== 'linux') return
  setPriority(lowPriority)
  const thread = manner === 'idle' ? ownId() : undefined
  if (thread !== undefined) void onlyIdle(thread).catch(() => undefined)
}

/** Without the program the priority must do. */
async function onlyIdle(thread: string): Promise<void> {
  // What starts programs takes longer to load than a list needs.
  const { run } = await import('../kit/index.ts')
  await run('chrt', ['-i', '-p', '0', thread], { env: { PATH: process.env['PATH'] } })
}

/** As the system has it. */
function ownId(): string | undefined {
  try {
    return basename(readlinkSync('/proc/thread-self'))
  } catch {
    return undefined
  }
}

interface Around {
  readonly signal: AbortSignal
  readonly say: (message: FromReader) => void
  readonly turns: Turns
}

function sinkOf(id: number, { signal, say, turns }: Around): Sink {
  return {
    signal,
    turn: () => turns.long(signal),
    head: headers => say({ id, headers }),
    write: bytes => say({ id, bytes }),
  }
}

async function performed(job: Job, perform: Perform<Job>, sink: Sink): Promise<Answered> {
  try {
    return await perform(job, sink)
  } catch (error) {
    return refused('UNREADABLE', messageOf(error))
  }
}

/** A list needs next to nothing. What the others need is loaded when one is asked for, or when there is nothing else to do. */
const idleMs = 100

function performerOf(tools: () => Promise<ReaderTools>): Perform<Job> {
  const index = createExecutionIndex()
  let loading: Promise<Perform> | undefined
  const others = (): Promise<Perform> => {
    loading ??= import('./jobs.ts').then(async ({ createJobs }) => createJobs(await tools()))
    return loading
  }
  const loadLater = () => setTimeout(() => void others().catch(() => undefined), idleMs).unref()
  let timer = loadLater()
  return async (job, sink) => {
    if (job.kind !== 'executions') return (await others())(job, sink)
    // Not in the middle of a long list.
    clearTimeout(timer)
    const { etag, bytes } = await index.list(job.of)
    timer = loadLater()
    sink.head({ 'content-type': jsonType, etag })
    sink.write(bytes)
    return { ok: true }
  }
}
