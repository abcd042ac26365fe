import { planType, type StoredEvent } from './line-reader.ts'
import { typeOf } from './line-type.ts'
import type { Page } from './page.ts'
import type { Segment, SegmentIndex } from './segments.ts'

interface Parts {
  readonly segmentsUpTo: (seq: number) => Promise<readonly Segment[]>
  readonly indexOf: (segment: Segment, newest: boolean) => Promise<SegmentIndex>
  readonly pages: (query: { readonly after: number; readonly upTo: number }) => AsyncGenerator<Page>
}

type Types = ReadonlySet<string>

/**
 * Events of some types, up to one, in order. A segment whose index names all of them is not read but for these lines, and was
 * whole when its index was made; of every other one all lines are read.
 */
export async function* pagesOfTypes(parts: Parts, types: Types, upTo: number): AsyncGenerator<Page> {
  const segments = await parts.segmentsUpTo(upTo)
  let next = segments[0]?.firstSeq ?? 1
  for (const [at, segment] of segments.entries()) {
    if (segment.firstSeq > upTo) return
    const index = await parts.indexOf(segment, at === segments.length - 1)
    const isNext = segment.firstSeq === next
    yield* pagesIn(parts, { index: isNext ? index : { ...index, isWhole: false }, first: next, upTo }, types)
    next = index.lastSeq + 1
  }
}

/** The events that may carry a plan, newest first. Segments without one are not read. */
export async function* plansOf(parts: Parts): AsyncGenerator<StoredEvent> {
  const segments = await parts.segmentsUpTo(Number.POSITIVE_INFINITY)
  for (const segment of segments.toReversed()) {
    const index = await parts.indexOf(segment, segment === segments.at(-1))
    if (index.counts.plans === 0) continue
    const stretch = { index, first: segment.firstSeq, upTo: index.lastSeq }
    const found: StoredEvent[] = []
    for await (const { events } of pagesIn(parts, stretch, planTypes)) found.push(...events)
    yield* found.toReversed()
  }
}

const planTypes: Types = new Set([planType])

interface Stretch {
  readonly index: SegmentIndex
  readonly first: number
  readonly upTo: number
}

async function* pagesIn(
  { pages }: Parts,
  { index, first, upTo }: Stretch,
  types: Types,
): AsyncGenerator<Page> {
  const whole = { after: first - 1, upTo: index.lastSeq }
  const stretches = namedIn(index, types)?.map(seq => ({ after: seq - 1, upTo: seq })) ?? [whole]
  // Also of lines that are named: an index is a cache, and may be wrong.
  for (const stretch of stretches)
    for await (const { events, problems } of pages({ ...stretch, upTo: Math.min(stretch.upTo, upTo) }))
      yield { events: events.filter(stored => types.has(typeOf(stored))), problems }
}

/** Undefined: the segment must be read. */
function namedIn({ isWhole, types: places }: SegmentIndex, types: Types): readonly number[] | undefined {
  if (!isWhole || !places) return undefined
  const seqs: number[] = []
  for (const type of types) {
    const named = places[type] ?? []
    if (named === 'many') return undefined
    seqs.push(...named)
  }
  return seqs.sort((one, other) => one - other)
}
