/** An event as a sentinel sees it. Every journaled event is one. */
export interface ObservedEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: object
  readonly id?: string
  readonly seq?: number
  /** Present on what follows from the work of a sentinel, marked where it is emitted. */
  readonly origin?: 'sentinel'
}

/**
 * Nothing that follows from a sentinel wakes one: it would wake itself for ever. The types are told apart too, for journals
 * that were written before events had an origin.
 */
export function followsFromSentinel({ origin, type }: ObservedEvent): boolean {
  return origin === 'sentinel' || type.startsWith('sentinel.')
}

/** The codon that is watched, as templates see it. */
export interface ObservedCodon {
  /** Runtime id. */
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly startTime: string
}
