import {
  type Forecast,
  type ForecastLimit,
  type ForecastRow,
  forecast,
  type Observed,
  type Prepared,
  type WorstCase,
} from '@weave/runtime'
import { durationText } from 'weave-client'
import { columns } from '../columns.ts'
import { planOf } from '../plan-of.ts'

/** What can be said about money and time before the run; undefined when there is no hank. */
export function forecastOf(prepared: Prepared): Forecast | undefined {
  const plan = planOf(prepared)
  const observed = new Set(prepared.loaded.sentinels.map(({ codonId }) => codonId))
  return plan && forecast(plan, { observed })
}

/**
 * What each part of the hank may spend and where that limit comes from, nothing when there is no limit at all; then the
 * worst case. `earlier`: what finished executions of this hank took.
 */
export function budgetLines(prepared: Prepared, earlier?: Observed): readonly string[] {
  const found = forecastOf(prepared)
  if (!found) return []
  const isLimited = found.rows.some(({ limits }) => limits.length > 0)
  return [
    ...(isLimited ? ['Budgets', ...columns(found.rows.flatMap(cells)), ''] : []),
    'Worst case',
    ...columns([
      ['dollars', worstWords(found.dollars, dollars)],
      ['time', worstWords(found.seconds, seconds)],
      ...(earlier && earlier.count > 0 ? [['before', earlierWords(earlier)]] : []),
    ]),
    '',
  ]
}

function cells({ label, limits }: ForecastRow): readonly (readonly string[])[] {
  if (limits.length === 0) return [[label, 'no limit']]
  return limits.map((limit, at) => [at === 0 ? label : '', amountWords(limit), limit.origin])
}

function amountWords({ currency, amount }: ForecastLimit): string {
  if (currency === 'dollars') return dollars(amount)
  if (currency === 'seconds') return seconds(amount)
  return `${amount} ${currency === 'output-tokens' ? 'output tokens' : 'context tokens'}`
}

const mostReasons = 3

function worstWords(worst: WorstCase, words: (amount: number) => string): string {
  if (worst.kind === 'bounded') return `${words(worst.amount)}, and what is under way when a limit is reached`
  const { reasons } = worst
  const more = reasons.length - mostReasons
  const named = reasons.slice(0, mostReasons).join('; ')
  return `unbounded: ${named}${more > 0 ? `; and ${more} more like these` : ''}`
}

/** `$0.8 to $1.2, 3m 05s to 4m 10s in 3 executions`. */
function earlierWords({ count, dollars: money, seconds: time }: Observed): string {
  const ranges = [
    money ? `${dollars(money.low)} to ${dollars(money.high)}` : 'cost unknown',
    ...(time ? [`${durationText(time.low * 1000)} to ${durationText(time.high * 1000)}`] : []),
  ]
  return `${ranges.join(', ')} in ${count === 1 ? '1 execution' : `${count} executions`}`
}

function dollars(amount: number): string {
  return `$${round(amount)}`
}

function seconds(amount: number): string {
  return `${round(amount)} s`
}

function round(amount: number): number {
  return Number(amount.toFixed(4))
}
