import { type ExecutionLayout, openJournalReader, readLock, systemClock } from '@weave/runtime'
import { describeEvent, eventTypes, isEventType } from 'weave-client'
import { type Answer, failure, value } from '../answers.ts'
import { executionNamed } from '../places.ts'
import type { Run, Surroundings } from '../tool.ts'
import type { Inputs } from './inputs.ts'

export interface EventPage {
  readonly events: readonly EventRow[]
  /** The last event that was looked at, shown or not. */
  readonly lastSeq: number
  readonly hasMore: boolean
}

interface EventRow {
  readonly seq: number
  readonly time: string
  readonly type: string
  readonly untrusted: object
}

export interface PageQuery {
  readonly since: number
  readonly limit: number
  readonly types?: ReadonlySet<string> | undefined
  readonly codon?: string | undefined
  readonly full: boolean
}

/** Nobody waits longer for one page; the next call goes on where this one came to. */
const longestScanMs = 2_000

const mostKept = 16

/** What is known of a journal is kept for the next call: whoever waits for a run asks again and again. */
function readerOf(layout: ExecutionLayout, { journals }: Pick<Surroundings, 'journals'>) {
  const known = journals.get(layout.journal) ?? openJournalReader(layout)
  journals.delete(layout.journal)
  journals.set(layout.journal, known)
  const [oldest] = journals.keys()
  if (journals.size > mostKept && oldest !== undefined) journals.delete(oldest)
  return known
}

/** Events after a number, live or at rest. */
export async function pageOf(
  layout: ExecutionLayout,
  query: PageQuery,
  at: Pick<Surroundings, 'journals'>,
): Promise<EventPage> {
  const { since, limit, types, codon, full } = query
  const journal = readerOf(layout, at)
  const end = await journal.lastSeq()
  const deadline = systemClock.monotonic() + longestScanMs
  const events: EventRow[] = []
  let last = since
  const isInTime = (): boolean => systemClock.monotonic() <= deadline
  const mayGoOn = (seq: number): boolean => {
    last = seq
    return isInTime()
  }
  const wanted = { types, codonId: codon, since, mayGoOn }
  for await (const { event } of journal.events(wanted)) {
    last = event.seq
    const untrusted = full ? { data: event.data } : { line: describeEvent(event) }
    events.push({ seq: event.seq, time: event.timestamp, type: event.type, untrusted })
    if (events.length === limit || !isInTime()) break
  }
  return { events, lastSeq: last, hasMore: last < end }
}

export const readJournal: Run<Inputs['read_journal']> = async (input, at) => {
  const named = await executionNamed(input.execution, at)
  if (!named.ok) return named.answer
  const wrong = wrongTypes(input.types)
  if (wrong) return wrong
  const { since, limit, codon, fields } = input
  const types = input.types && new Set(input.types)
  return value(await pageOf(named.layout, { since, limit, types, codon, full: fields === 'full' }, at))
}

function wrongTypes(types: readonly string[] = []): Answer | undefined {
  const unknown = types.find(type => !isEventType(type))
  if (unknown === undefined) return undefined
  return failure('INVALID_COMMAND', `There is no event type ${unknown}. There are: ${eventTypes.join(', ')}.`)
}

const pollMs = 200
const mostShown = 100
/** From the end of a run to that of its process. One that clients keep alive stays. */
const longestEndMs = 2_000

/** What was asked for has come about when one of these was journaled. */
const awaited = {
  end: new Set(['run.completed']),
  idle: new Set(['server.idle', 'gate.waiting', 'run.completed']),
}

export const waitFor: Run<Inputs['wait_for']> = async (input, at, call) => {
  const { until, seconds } = input
  const named = await executionNamed(input.execution, at)
  if (!named.ok) return named.answer
  const wrong = typeof until === 'string' ? undefined : wrongTypes(until)
  if (wrong) return wrong
  const hits = typeof until === 'string' ? awaited[until] : new Set(until)
  const wanted = { since: input.since, hits, seconds, settleMs: until === 'end' ? longestEndMs : 0 }
  return value(await waited(named.layout, wanted, { ...call, journals: at.journals }))
}

export interface Awaited {
  readonly since: number
  readonly hits: ReadonlySet<string>
  readonly seconds: number
  /** After a hit the process of the run gets this time to end, so that whoever asks next finds it at rest. */
  readonly settleMs?: number
}

type Listening = Pick<Parameters<Run>[2], 'signal' | 'progress'> & Pick<Surroundings, 'journals'>

/** Events as they come, until one of those that are waited for, the end of the run, or the end of patience. */
export async function waited(
  layout: ExecutionLayout,
  { since, hits, seconds, settleMs = 0 }: Awaited,
  { signal, progress, journals }: Listening,
): Promise<EventPage & { readonly hit: boolean }> {
  let deadline = systemClock.monotonic() + seconds * 1000
  let hit = false
  const events: EventRow[] = []
  let lastSeq = since
  for (;;) {
    // Asked before the journal is read: what a run writes last is not missed.
    const isLive = (await readLock(layout.lockFile, systemClock)).kind === 'held'
    const query = { since: lastSeq, limit: mostShown - events.length, full: false }
    const page = await pageOf(layout, query, { journals })
    for (const row of page.events) {
      // Transitions say for programs what other events say for people.
      if (row.type === 'state.transition' && !hits.has(row.type)) continue
      events.push(row)
      progress(`${row.type} ${String((row.untrusted as { readonly line?: string }).line)}`)
      if (!hits.has(row.type)) continue
      if (settleMs === 0) return { events, lastSeq: row.seq, hasMore: page.hasMore, hit: true }
      if (!hit) deadline = Math.min(deadline, systemClock.monotonic() + settleMs)
      hit = true
    }
    lastSeq = page.lastSeq
    const isOver = events.length >= mostShown || signal.aborted || systemClock.monotonic() >= deadline
    if (isOver) return { events, lastSeq, hasMore: page.hasMore, hit }
    if (!isLive && !page.hasMore) return { events, lastSeq, hasMore: false, hit: true }
    await systemClock.sleep(pollMs, signal).catch(() => undefined)
  }
}
