import { costReport } from '../budget/index.ts'
import { systemClock } from '../kit/index.ts'
import { type Comparison, compare, isSame, type ReadPlace, readPlace } from '../versions/index.ts'
import { executionLayout } from '../workspace/index.ts'
import { eventsJob } from './events.ts'
import { findJob } from './find.ts'
import { headJob, type RunsOf } from './head.ts'
import { type Answered, type Job, type NamedPlace, type Query, refused, type Sink } from './job.ts'
import { createFollowers, type Followers, notBegun } from './places.ts'
import { sentinelsJob } from './sentinels.ts'
import { seriesJob } from './series.ts'
import { spansJob } from './spans.ts'
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

/** Everything but the list of executions. */
type OtherJob = Exclude<Job, { readonly kind: 'executions' }>
export type Perform<Asked = OtherJob> = (job: Asked, sink: Sink) => Promise<Answered>

export function createJobs(tools: ReaderTools): Perform {
  const followers = createFollowers()
  return async (job, sink) => {
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
