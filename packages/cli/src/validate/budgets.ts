import {
  type Forecast,
  type ForecastLimit,
  type ForecastRow,
  forecast,
  type Observed,
  type ObservedCodon,
  type ObservedCosts,
  type Prepared,
  type WorstCase,
} from '@weave/runtime'
import { durationText } from 'weave-client'
import { columns } from '../columns.ts'

/** What can be said about money and time before the run; undefined when there is no hank. */
export function forecastOf(prepared: Prepared, earlier?: ObservedCosts): Forecast | undefined {
  const { plan, loaded } = prepared
  const observed = new Set(loaded.sentinels.map(({ codonId }) => codonId))
  return plan && forecast(plan, { observed, earlier })
}

/**
 * What each part of the hank may spend, where that limit comes from and what it took before, nothing when there is neither
 * a limit nor a past; then the worst case. `earlier`: what executions of this hank took.
 */
export function budgetLines(prepared: Prepared, earlier?: ObservedCosts): readonly string[] {
  const found = forecastOf(prepared, earlier)
  if (!found) return []
  const hasMore = found.rows.some(({ limits, observed }) => limits.length > 0 || observed !== undefined)
  return [
    ...(hasMore ? ['Budgets', ...columns(found.rows.flatMap(cells)), ''] : []),
    'Worst case',
    ...columns([
      ['dollars', worstWords(found.dollars, dollars)],
      ['time', worstWords(found.seconds, seconds)],
      ...(found.earlier ? [['before', earlierWords(found.earlier)]] : []),
    ]),
    '',
  ]
}

function cells({ label, limits, observed }: ForecastRow): readonly (readonly string[])[] {
  const rows = limits.map(limit => [amountWords(limit), limit.origin])
  const past = observed ? [observedWords(observed)] : []
  const all = [...(rows.length > 0 ? rows : [['no limit']]), ...past]
  return all.map((row, at) => [at === 0 ? label : '', ...row])
}

/** `observed $0.8–$1.2`, `over 3 executions`. */
function observedWords({ dollars: money, executions }: ObservedCodon): readonly string[] {
  const range = money ? `${dollars(money.low)}–${dollars(money.high)}` : 'unknown cost'
  return [`observed ${range}`, `over ${executionsText(executions)}`]
}

function executionsText(count: number): string {
  return count === 1 ? '1 execution' : `${count} executions`
}

function amountWords({ currency, amount, most }: ForecastLimit): string {
  if (currency === 'dollars')
    return most === undefined ? dollars(amount) : `${dollars(amount)}, at most ${dollars(most)}`
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
  return `${ranges.join(', ')} in ${executionsText(count)}`
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
