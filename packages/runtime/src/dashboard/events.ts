import type { History, ReadProblem, StoredEvent } from '../journal/index.ts'
import { historyOf } from './histories.ts'
import { type Answered, jsonType, type NamedPlace, type Query, refused, type Sink } from './job.ts'
import { wholeIn } from './queries.ts'

const mostEvents = 500
/** Of one answer, and of one event in it that is sent with the fields that lie beside its line. */
const mostBytes = 4 << 20
const mostInPage = 256 << 10
const mostAlone = 32 << 20

/** A page of the journal, its lines as they are. */
export async function eventsJob(place: NamedPlace, query: Query, sink: Sink): Promise<Answered> {
  const limit = wholeIn(query, 'limit', { least: 1, most: mostEvents, otherwise: mostEvents })
  const after = wholeIn(query, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  const before = wholeIn(query, 'before', { least: 1, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  if (limit === undefined || after === undefined || before === undefined)
    return refused('BAD_REQUEST', `limit is 1 to ${mostEvents}; after and before are numbers of events.`)
  const history = historyOf(place)
  const lastSeq = await history.lastSeq()
  const from = before === 0 ? after : Math.max(0, Math.min(lastSeq, before - 1) - limit)
  const upTo = Math.min(lastSeq, before === 0 ? after + limit : before - 1)
  const page = await readPage(history, { after: from, upTo, signal: sink.signal })
  const events = before === 0 ? page.events : page.events.toReversed()
  const texts: string[] = []
  let bytes = 0
  for (const stored of events) {
    const text = await textOf(history, stored, limit === 1 ? mostAlone : mostInPage)
    if (texts.length > 0 && bytes + text.length > mostBytes) break
    bytes += text.length
    texts.push(text)
  }
  const rest = {
    lastSeq,
    isWhole: texts.length === events.length,
    damage: page.problems.map(damageOf),
  }
  sink.head({ 'content-type': jsonType })
  sink.write(
    Buffer.from(
      `{"events":[${(before === 0 ? texts : texts.toReversed()).join(',')}],${JSON.stringify(rest).slice(1)}\n`,
    ),
  )
  return { ok: true }
}

interface Stretch {
  readonly after: number
  readonly upTo: number
  readonly signal: AbortSignal
}

async function readPage(history: History, { after, upTo, signal }: Stretch) {
  const events: StoredEvent[] = []
  const problems: ReadProblem[] = []
  if (upTo <= after) return { events, problems }
  for await (const page of history.pages({ after, upTo })) {
    signal.throwIfAborted()
    events.push(...page.events)
    problems.push(...page.problems)
  }
  return { events, problems }
}

/** Whole when it is not too long; otherwise as the line has it, which names the fields that lie beside it. */
async function textOf(history: History, stored: StoredEvent, most: number): Promise<string> {
  if (stored.bytes <= most) return history.text(stored)
  return `{${stored.rest.toString('utf8')}`
}

function damageOf({ file, offset, reason, count = 1 }: ReadProblem) {
  const kind = reason === 'missing' || reason === 'doubled' ? reason : 'damaged'
  return { kind, count, message: `${reason} in ${file} at byte ${offset}` }
}
