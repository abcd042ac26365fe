import type { JournaledEvent, SentinelList } from '@weave/protocol'
import { createHistory } from '../journal/index.ts'
import { executionLayout } from '../workspace/index.ts'
import { type Answered, type NamedPlace, type Query, refused, type Sink } from './job.ts'
import { wholeIn } from './queries.ts'

type Item = SentinelList['items'][number]

const mostItems = 1_000
const longestText = 64 << 10

/** What sentinels said, and what went wrong with them. */
export async function sentinelsJob(place: NamedPlace, query: Query, sink: Sink): Promise<Answered> {
  const after = wholeIn(query, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  if (after === undefined) return refused('BAD_REQUEST', 'after is the number of an event.')
  const history = createHistory({ dir: executionLayout(place.dir).journal, readOnly: true })
  const items: Item[] = []
  let [leftOut, lastSeq] = [0, after]
  for await (const page of history.pages({ after, maxEvents: 5_000, maxBytes: 8 << 20 })) {
    sink.signal.throwIfAborted()
    for (const stored of page.events) {
      lastSeq = stored.seq
      const type = history.type(stored)
      if (type !== 'sentinel.output' && type !== 'sentinel.error') continue
      const event = await history.event(stored)
      const item = event && itemOf(event)
      if (item && items.push(item) > mostItems) {
        items.shift()
        leftOut++
      }
    }
  }
  const value: SentinelList = { items, leftOut, lastSeq }
  return { ok: true, value }
}

function itemOf({ type, data, seq, timestamp: time }: JournaledEvent): Item | undefined {
  if (type === 'sentinel.error') {
    const { sentinelId, codonId, message } = data
    return { seq, time, kind: 'error', sentinelId, codonId, text: message.slice(0, longestText), cost: 0 }
  }
  if (type !== 'sentinel.output') return undefined
  const { sentinelId, codonId, content, cost } = data
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  return { seq, time, kind: 'output', sentinelId, codonId, text: text.slice(0, longestText), cost }
}
