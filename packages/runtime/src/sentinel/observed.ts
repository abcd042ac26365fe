/** An event as a sentinel sees it. Every journaled event is one. */
export interface ObservedEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: object
  readonly id?: string
  readonly seq?: number
}

/** The codon that is watched, as templates see it. */
export interface ObservedCodon {
  /** Runtime id. */
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly startTime: string
}
