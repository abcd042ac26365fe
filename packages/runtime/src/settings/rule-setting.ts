import type { SentinelCondition, SentinelConfig } from '../hank/index.ts'

/** What an operator wants to follow when a sentinel said something, or a pattern of events was seen. */
export interface RuleSetting {
  readonly id: string
  readonly sentinel?: string | undefined
  readonly trigger?: SentinelConfig['trigger'] | undefined
  readonly when?: readonly SentinelCondition[] | undefined
  readonly codons?: readonly string[] | undefined
  readonly times?: number | undefined
  readonly withinSeconds?: number | undefined
  readonly do: 'notify' | 'hold' | 'stop'
  readonly message?: string | undefined
  readonly atMost?: number | undefined
}
