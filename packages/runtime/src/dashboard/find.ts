import { fitsFilter, mayFail } from '@weave/protocol'
import type { History, StoredEvent } from '../journal/index.ts'
import { systemClock } from '../kit/index.ts'
import { historyOf, inStretches } from './histories.ts'
import { type Answered, type NamedPlace, type Query, refused, type Sink } from './job.ts'
import { wholeIn } from './queries.ts'

/** The last event that was looked at when the answer is whole. */
const soughtHeader = 'weave-sought-to'
/** So many numbers are sent at a time, or what there is after so many milliseconds. */
const mostHeld = 8_192
const longestHeldMs = 50

/** Numbers of events that are meant, as little-endian 32-bit numbers, sent as they are found. */
export async function findJob(place: NamedPlace, query: Query, sink: Sink): Promise<Answered> {
  const after = wholeIn(query, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  if (after === undefined) return refused('BAD_REQUEST', 'after is the number of an event.')
  const history = historyOf(place)
  const fits = createFilter(query, history)
  const out = createNumbers(sink)
  const upTo = await history.lastSeq()
  sink.head({ 'content-type': 'application/octet-stream', [soughtHeader]: String(upTo) })
  for await (const page of history.pages({ ...inStretches(), after, upTo })) {
    for (const stored of page.events) {
      const answer = fits(stored)
      if (answer === true || (answer !== false && (await answer))) out.add(stored.seq)
    }
    out.settle()
    await sink.turn()
  }
  out.flush()
  return { ok: true }
}

function createNumbers(sink: Sink) {
  let held: number[] = []
  // The first ones fill what is in sight: they are sent at once.
  let since = Number.NEGATIVE_INFINITY
  const flush = (): void => {
    if (held.length > 0) {
      const bytes = Buffer.allocUnsafe(held.length * 4)
      for (const [at, number] of held.entries()) bytes.writeUInt32LE(number, at * 4)
      sink.write(bytes)
      since = systemClock.monotonic()
    }
    held = []
  }
  return {
    add: (seq: number): void => void held.push(seq),
    settle(): void {
      if (held.length >= mostHeld || systemClock.monotonic() - since >= longestHeldMs) flush()
    },
    flush,
  }
}

type Fits = (stored: StoredEvent) => boolean | Promise<boolean>

/** All that the query names must hold. What is dear is asked last, and only of lines that may fit. */
function createFilter(query: Query, history: History): Fits {
  const types = query['type'] ? new Set(query['type'].split(',')) : undefined
  const text = query['text'] || undefined
  const mayOccur = text === undefined ? undefined : lineTest(text)
  const codon = query['codon'] || undefined
  const codonMark = codon === undefined ? undefined : Buffer.from(JSON.stringify(codon).slice(0, -1))
  const failed = query['failed'] === '1'
  const passes = fitsFilter({ codon, text, failed })
  const parse = async (stored: StoredEvent): Promise<boolean> => {
    const event = history.unchecked(stored) ?? (await history.event(stored))
    return event !== undefined && passes(event)
  }
  const needsParse = text !== undefined || codon !== undefined || failed
  return stored => {
    const type = types || failed ? history.type(stored) : ''
    if (types && !types.has(type)) return false
    if (failed && !mayFail.has(type)) return false
    if (codonMark && !stored.rest.includes(codonMark)) return false
    if (mayOccur && !stored.spilled && !mayOccur(stored.rest)) return false
    return needsParse ? parse(stored) : true
  }
}

/** Whether a text may occur in a line; it also says yes where only the name of a field fits. */
function lineTest(wanted: string): (rest: Buffer) => boolean {
  const lower = wanted.toLowerCase()
  // Text beyond ASCII has capitals that bytes do not show.
  if (!/^[ -~]*$/.test(lower)) return () => true
  // Bytes read as Latin-1 on both sides agree whatever they mean; what is escaped in JSON is so in the line.
  const mark = JSON.stringify(lower).slice(1, -1)
  return rest => rest.toString('latin1').toLowerCase().includes(mark)
}
