import type { SpanKey } from './ids.ts'
import type { ContentLevel, Vocabulary } from './names.ts'
import type { EndedSpan } from './span.ts'

/** A span that is over, before it is known with which event it leaves. */
export type Draft = Omit<EndedSpan, 'seq' | 'isLastOfEvent' | 'traceId'>

/** What every part of a fold works with. */
export interface FoldGround {
  readonly vocabulary: Vocabulary
  readonly content: ContentLevel
  /** The id of a span of this execution. */
  readonly idOf: (key: SpanKey) => string
}

/** Clocks may be set back: no span ends before it begins. */
export function notBefore(start: number, end: number): number {
  return Math.max(start, end)
}
