/** One thing that a run needs, as it is found on this machine. */
export interface Finding {
  readonly name: string
  readonly verdict: 'good' | 'poor' | 'bad'
  readonly detail: string
  /** What to do; for everything that is not good. */
  readonly cure?: string
}
