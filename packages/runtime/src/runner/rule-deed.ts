import { currentRun, type EventData, type WeaveState } from '@weave/protocol'

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

/** Whether the attempt in which a rule was met is the one that runs, if a codon runs. */
export function isStillThere({ codonId, startTime }: RuleDeed, state: WeaveState): boolean {
  const current = currentRun(state)?.codons.at(-1)
  return current?.codonId === codonId && current.startTime === startTime
}

/** A codon that has ended can not be stopped. */
export function firedData(deed: RuleDeed, isThere: boolean): EventData<'rule.fired'> {
  const { ruleId, codonId, hits, evidence } = deed
  const isLate = deed.do === 'stop' && !isThere
  return { ruleId, codonId, do: deed.do, hits, evidence: [...evidence], ...(isLate && { late: true }) }
}

/** Why the run waits, for people. */
export function deedWords({ ruleId, message }: RuleDeed): string {
  return message ?? `Rule ${ruleId} was met.`
}
