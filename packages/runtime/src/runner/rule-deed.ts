/** What a rule that was met lets follow. */
export interface RuleDeed {
  readonly ruleId: string
  readonly do: 'notify' | 'hold' | 'stop'
  /** The attempt in which it was met: runtime id, and when it began. */
  readonly codonId: string
  readonly startTime: string
  readonly hits: number
  readonly evidence: readonly number[]
  readonly message?: string | undefined
}
