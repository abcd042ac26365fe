import type { JournaledEvent } from '@weave/protocol'
import type { History, StoredEvent } from '../journal/index.ts'
import { systemClock } from '../kit/index.ts'
import { historyOf, inStretches } from './histories.ts'
import type { Answered, NamedPlace, Query, Sink } from './job.ts'
import { isOfCodon } from './queries.ts'

/** So many numbers are sent at a time, or what there is after so many milliseconds. */
const mostHeld = 8_192
const longestHeldMs = 50

/** Numbers of events that are meant, as little-endian 32-bit numbers, sent as they are found. */
export async function findJob(place: NamedPlace, query: Query, sink: Sink): Promise<Answered> {
  const history = historyOf(place)
  const fits = createFilter(query, history)
  const out = createNumbers(sink)
  sink.head({ 'content-type': 'application/octet-stream' })
  for await (const page of history.pages(inStretches())) {
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
  const text = query['text'] ? createTextTest(query['text']) : undefined
  const codon = query['codon'] || undefined
  const codonMark = codon === undefined ? undefined : Buffer.from(JSON.stringify(codon).slice(0, -1))
  const failed = query['failed'] === '1'
  const parse = async (stored: StoredEvent): Promise<boolean> => {
    const event = history.unchecked(stored) ?? (await history.event(stored))
    if (!event) return false
    if (codon !== undefined && !isOfCodon(codonOf(event), codon)) return false
    if (failed && !isFailure(event)) return false
    return text === undefined || text.inValue(event.data)
  }
  const needsParse = text !== undefined || codon !== undefined || failed
  return stored => {
    const type = types || failed ? history.type(stored) : ''
    if (types && !types.has(type)) return false
    if (failed && !mayFail.has(type)) return false
    if (codonMark && !stored.rest.includes(codonMark)) return false
    if (text && !stored.spilled && !text.inLine(stored.rest)) return false
    return needsParse ? parse(stored) : true
  }
}

function codonOf({ data }: JournaledEvent): unknown {
  return 'codonId' in data ? data.codonId : 'codon' in data ? data.codon : undefined
}

/** Types whose events may tell of a failure. */
const mayFail: ReadonlySet<string> = new Set([
  'error',
  'tool.result',
  'codon.completed',
  'codon.retrying',
  'sentinel.error',
  'budget.exceeded',
  'rig.operation',
  'run.completed',
])

function isFailure({ type, data }: JournaledEvent): boolean {
  if (type === 'tool.result') return data.isError
  if (type === 'codon.completed') return !data.success
  if (type === 'rig.operation') return !data.ok
  return type !== 'run.completed' || data.status === 'failed'
}

/** Whether a text occurs, small and capital letters alike. */
function createTextTest(wanted: string) {
  const lower = wanted.toLowerCase()
  // Bytes read as Latin-1 on both sides agree whatever they mean; what is escaped in JSON is so in the line.
  const mark = Buffer.from(JSON.stringify(lower).slice(1, -1)).toString('latin1').toLowerCase()
  const isPlain = /^[ -~]*$/.test(lower)
  return {
    /** May say yes where only the name of a field fits. Text beyond ASCII has capitals that bytes do not show. */
    inLine: (rest: Buffer): boolean => !isPlain || rest.toString('latin1').toLowerCase().includes(mark),
    inValue: (value: unknown): boolean => occursIn(value, lower),
  }
}

function occursIn(value: unknown, lower: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(lower)
  if (typeof value === 'number') return String(value).includes(lower)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(each => occursIn(each, lower))
}
