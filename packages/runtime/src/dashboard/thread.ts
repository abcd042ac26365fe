import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { costReport } from '../budget/index.ts'
import { fieldsOf, messageOf, systemClock } from '../kit/index.ts'
import { type Comparison, compare, isSame, type ReadPlace, readPlace } from '../versions/index.ts'
import { executionLayout } from '../workspace/index.ts'
import { jsonType } from './answers.ts'
import { eventsJob } from './events.ts'
import { createExecutionIndex } from './executions.ts'
import { findJob } from './find.ts'
import { headJob, type RunsOf } from './head.ts'
import {
  type Answered,
  type FromReader,
  type Job,
  littleJobs,
  type NamedPlace,
  type Query,
  refused,
  type Sink,
  type ToReader,
} from './job.ts'
import { createFollowers, type Followers, notBegun } from './places.ts'
import { sentinelsJob } from './sentinels.ts'
import { seriesJob } from './series.ts'
import { spansJob } from './spans.ts'
import { createTurns, type Turns } from './turns.ts'
import { checkpointsJob, diffJob, encoded, fileJob, previewJob } from './versions.ts'

/** What the program that hosts the thread knows better. */
export interface ReaderTools {
  readonly runsOf: RunsOf
  /** The page of a report; a message when there is none. */
  readonly reportOf: (
    dir: string,
  ) => Promise<
    { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }
  >
}

/** The thread that reads executions for a host. Call it as the entry of a worker thread. */
export function runReaderThread(tools: ReaderTools): void {
  const port = parentPort
  if (!port) throw new Error('runReaderThread is for the entry of a worker thread')
  const isPolite = fieldsOf(workerData)['isPolite'] === true
  if (isPolite) giveWay()
  const perform = createJobs(tools)
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

/** Only on Linux, where a priority is that of a thread; elsewhere it would be that of the run. */
function giveWay(): void {
  if (process.platform === 'linux') setPriority(lowPriority)
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

type Perform = (job: Job, sink: Sink) => Promise<Answered>

async function performed(job: Job, perform: Perform, sink: Sink): Promise<Answered> {
  try {
    return await perform(job, sink)
  } catch (error) {
    return refused('UNREADABLE', messageOf(error))
  }
}

function createJobs(tools: ReaderTools): Perform {
  const index = createExecutionIndex()
  const followers = createFollowers()
  return async (job, sink) => {
    if (job.kind === 'executions') {
      const { etag, bytes } = await index.list(job.of)
      sink.head({ 'content-type': jsonType, etag })
      sink.write(bytes)
      return { ok: true }
    }
    if (job.kind === 'compare') return compareJob(job)
    const { kind, place, query } = job
    const around = { sink, followers }
    switch (kind) {
      case 'head':
        return headJob(place, { ...around, runsOf: tools.runsOf })
      case 'events':
        return eventsJob(place, query, sink)
      case 'find':
        return findJob(place, query, sink)
      case 'spans':
        return spansJob(place, query, sink)
      case 'series':
        return seriesJob(place, query, sink)
      case 'checkpoints':
      case 'diff':
      case 'file':
      case 'preview':
        return versionsJob(kind, place, { query, ...around })
      case 'costs':
        return costsJob(place, sink, followers)
      case 'sentinels':
        return sentinelsJob(place, query, sink)
      case 'report':
        return reportJob(place, sink, tools)
    }
  }
}

const versionJobs = {
  checkpoints: checkpointsJob,
  diff: diffJob,
  file: fileJob,
  preview: previewJob,
} as const

async function versionsJob(
  kind: keyof typeof versionJobs,
  place: NamedPlace,
  { query, sink, followers }: { readonly query: Query; readonly sink: Sink; readonly followers: Followers },
): Promise<Answered> {
  const opened = await followers.open(place, sink)
  return opened.ok ? versionJobs[kind]({ open: opened.open, query, sink }) : opened
}

async function costsJob(place: NamedPlace, sink: Sink, followers: Followers): Promise<Answered> {
  const follower = followers.follow(place)
  const { state } = await follower.look(sink)
  const plan = await follower.plan()
  return plan ? { ok: true, value: costReport(state, plan) } : notBegun(place)
}

async function reportJob(
  { name, dir }: NamedPlace,
  sink: Sink,
  { reportOf }: ReaderTools,
): Promise<Answered> {
  const page = await reportOf(dir)
  if (!page.ok) return refused('NOT_BEGUN', page.message)
  sink.head({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': `attachment; filename*=UTF-8''${encoded(`${name}.html`)}`,
  })
  sink.write(Buffer.from(page.text))
  return { ok: true }
}

/** Steps before and after the first difference. */
const stepsAround = 3

async function compareJob({ left, right, query }: Job & { readonly kind: 'compare' }): Promise<Answered> {
  const sides: ReadPlace[] = []
  for (const { dir } of [left, right]) {
    const read = await readPlace({
      layout: executionLayout(dir),
      environment: process.env,
      clock: systemClock,
    })
    if (!read.ok) return refused('NOT_BEGUN', `${read.message} ${read.cure}`)
    sides.push(read.place)
  }
  const [one, other] = sides
  if (!one || !other) return refused('NOT_FOUND', 'Name two executions.')
  const result = await compare({
    left: { place: one, at: query['aAt'] },
    right: { place: other, at: query['bAt'] },
    text: false,
    around: stepsAround,
  })
  return result.ok
    ? { ok: true, value: comparisonJson(result.comparison) }
    : refused('NOT_FOUND', `${result.message} ${result.cure}`)
}

/** A comparison for programs: without the texts of files, and with the verdict. */
export function comparisonJson(comparison: Comparison): object {
  const { files, ...rest } = comparison
  const { text: _, ...listed } = files ?? { changed: 0, files: [] }
  const rows = listed.files.map(({ before: _before, after: _after, ...file }) => file)
  return { ...rest, same: isSame(comparison), ...(files && { files: { ...listed, files: rows } }) }
}
