import { typeOf } from './line-type.ts'
import type { Page } from './page.ts'
import type { Segment, SegmentIndex } from './segments.ts'

interface Parts {
  readonly segmentsUpTo: (seq: number) => Promise<readonly Segment[]>
  readonly indexOf: (segment: Segment, newest: boolean) => Promise<SegmentIndex>
  readonly pages: (query: { readonly after: number; readonly upTo: number }) => AsyncGenerator<Page>
}

/**
 * Events of some types, up to one, in order. A segment whose index names all of them is not read but for these lines, and was
 * whole when its index was made; of every other one all lines are read.
 */
export async function* pagesOfTypes(
  { segmentsUpTo, indexOf, pages }: Parts,
  types: ReadonlySet<string>,
  upTo: number,
): AsyncGenerator<Page> {
  const segments = await segmentsUpTo(upTo)
  let next = segments[0]?.firstSeq ?? 1
  for (const [at, segment] of segments.entries()) {
    const { firstSeq } = segment
    if (firstSeq > upTo) return
    const index = await indexOf(segment, at === segments.length - 1)
    const named = firstSeq === next ? namedIn(index, types) : undefined
    if (named) for (const seq of named) yield* pages({ after: seq - 1, upTo: Math.min(seq, upTo) })
    else
      for await (const { events, problems } of pages({
        after: next - 1,
        upTo: Math.min(index.lastSeq, upTo),
      }))
        yield { events: events.filter(stored => types.has(typeOf(stored))), problems }
    next = index.lastSeq + 1
  }
}

/** Undefined: the segment must be read. */
function namedIn({ isWhole, types: places }: SegmentIndex, types: ReadonlySet<string>) {
  if (!isWhole || !places) return undefined
  const seqs: number[] = []
  for (const type of types) {
    const named = places[type] ?? []
    if (named === 'many') return undefined
    seqs.push(...named)
  }
  return seqs.sort((one, other) => one - other)
}
