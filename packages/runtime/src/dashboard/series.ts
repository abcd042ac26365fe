import type { JournaledEvent, Series, SeriesName, Transition } from '@weave/protocol'
import { createRunClock, createTokenMeter } from '../budget/index.ts'
import { historyOf, inStretches } from './histories.ts'
import { type Answered, type NamedPlace, type Query, refused, type Sink } from './job.ts'
import { wholeIn } from './queries.ts'

type Point = Series['points'][number]

const mostPoints = 2_000
const names: readonly SeriesName[] = ['cost', 'tokens', 'context']
const wanted: ReadonlySet<string> = new Set(['state.transition', 'token.usage', 'budget.exceeded'])

/** Dollars, tokens or the context over the time in which runs went on. */
export async function seriesJob(place: NamedPlace, query: Query, sink: Sink): Promise<Answered> {
  const of = names.find(name => name === query['of'])
  const points = wholeIn(query, 'points', { least: 2, most: mostPoints, otherwise: mostPoints })
  if (!of || points === undefined)
    return refused('BAD_REQUEST', `of is ${names.join(', ')}; points is 2 to ${mostPoints}.`)
  const history = historyOf(place)
  const fold = createSeriesFold(of)
  for await (const page of history.pages(inStretches())) {
    await sink.turn()
    for (const stored of page.events) {
      if (!wanted.has(history.type(stored))) continue
      const event = history.unchecked(stored) ?? (await history.event(stored))
      if (event) fold.add(event)
    }
  }
  const value: Series = { of, points: thinned(fold.points, points), breaches: fold.breaches }
  return { ok: true, value }
}

function createSeriesFold(of: SeriesName) {
  const points: Point[] = []
  const breaches: Series['breaches'][number][] = []
  const clock = createRunClock()
  const meter = createTokenMeter()

  const put = (activeMs: number, value: number, { timestamp, seq }: JournaledEvent): void => {
    if (points.at(-1)?.[2] !== value) points.push([activeMs, Date.parse(timestamp), value, seq])
  }
  return {
    points: points as readonly Point[],
    breaches: breaches as Series['breaches'],
    add(event: JournaledEvent): void {
      const { type, data, timestamp, seq } = event
      if (type === 'state.transition') {
        // The checksum of its line proves that this program wrote it.
        const transition = data.transition as unknown as Transition
        meter.add(transition)
        const ms = clock.read(transition, timestamp)
        if (of === 'cost') put(ms, data.resultingState.totalCost, event)
        if (of === 'tokens') put(ms, meter.tokens, event)
      } else if (type === 'token.usage' && of === 'context') {
        const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens } = data
        const tokens = inputTokens + outputTokens + cacheCreationTokens + cacheReadTokens
        put(clock.at(timestamp), tokens, event)
      } else if (type === 'budget.exceeded') {
        const { currency, limit, used, scope, codonId, onExceeded } = data
        const whose = codonId === undefined ? {} : { codonId }
        const when = { activeMs: clock.at(timestamp), time: Date.parse(timestamp), seq }
        breaches.push({ ...when, currency, limit, used, scope, ...whose, onExceeded })
      }
    },
  }
}

/** At most so many points. Of those that lie close together the lowest and the highest stay, in their order. Pure. */
export function thinned(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points
  const last = points.at(-1)?.[0] ?? 0
  const slots = Math.max(1, Math.floor(most / 2))
  const kept = new Map<number, { low: Point; high: Point }>()
  for (const point of points) {
    const slot = Math.min(slots - 1, Math.floor((point[0] / (last + 1)) * slots))
    const so = kept.get(slot)
    if (!so) kept.set(slot, { low: point, high: point })
    else {
      if (point[2] < so.low[2]) so.low = point
      if (point[2] >= so.high[2]) so.high = point
    }
  }
  return [...kept.values()].flatMap(({ low, high }) => {
    if (low === high) return [low]
    return low[3] < high[3] ? [low, high] : [high, low]
  })
}
