/** What the process that started a run without a terminal is told. */
export interface ReadyRun {
  /** Its directory. */
  readonly execution: string
  readonly url: string
  readonly pid: number
}

/** What a run without a terminal says to the process that started it, until it is ready. */
export type DetachedMessage =
  /** Its checks are over; what it said until then, that many bytes of its log, the other has said itself. */
  { readonly kind: 'checked'; readonly logBytes: number } | ({ readonly kind: 'ready' } & ReadyRun)
