import type { BudgetBreach, CodonStatus, ProcessExit, RunStatus, TokenCounts } from '@weave/protocol'
import { harmless } from './harmless.ts'

/** Words for numbers and states, so that every face says the same. Nothing here knows a screen. */

/** `0.4 s`, `3.2 s`, `42 s`, `3m 05s`, `1h 02m`, `2d 03h`. What is no time at all is `0.0 s`. */
export function durationText(ms: number): string {
  const tenths = Math.round(Math.max(0, Number.isFinite(ms) ? ms : 0) / 100)
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`
  const seconds = Math.round(tenths / 10)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return pair(seconds, 60, 'ms')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1440) return pair(minutes, 60, 'hm')
  return pair(Math.floor(minutes / 60), 24, 'dh')
}

function pair(count: number, size: number, [large, small]: string): string {
  return `${Math.floor(count / size)}${large} ${String(count % size).padStart(2, '0')}${small}`
}

/** How long it is until an ISO time: `in 1m 05s`, or `now` when it has come. */
export function untilText(until: string, nowMs: number): string {
  const left = Date.parse(until) - nowMs
  return left > 0 ? `in ${durationText(left)}` : 'now'
}

export interface MoneyOptions {
  /** Some usage had no known price. */
  readonly unknown?: boolean | undefined
  /** A rehearsal: nobody pays. */
  readonly simulated?: boolean | undefined
}

/** `$0.0123`, `$12.35`, `unknown`, `$0.0123 + unknown`, `$0.0123 (simulated)`. */
export function dollarsText(amount: number, { unknown, simulated }: MoneyOptions = {}): string {
  const known = knownDollars(amount)
  const text = unknown ? (amount > 0 ? `${known} + unknown` : 'unknown') : known
  return simulated ? `${text} (simulated)` : text
}

function knownDollars(amount: number): string {
  if (amount > 0 && amount < 0.00005) return '<$0.0001'
  return amount > 0 && amount < 0.99995 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`
}

/** `999`, `12.3k`, `123k`, `1.2M`. */
export function tokensText(count: number): string {
  if (count < 1000) return String(Math.max(0, Math.round(count)))
  if (count < 99_950) return `${(count / 1000).toFixed(1)}k`
  if (count < 999_500) return `${Math.round(count / 1000)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** What was used of a limit: `$0.106 of $0.10`, `12.5 s of 10 s`, `1,200 of 1,000 output tokens`. */
export function breachAmounts({ currency, used, limit }: BudgetBreach): string {
  if (currency === 'dollars') return `${cents(used)} of ${cents(limit)}`
  if (currency === 'seconds') return `${Number(used.toFixed(1))} s of ${Number(limit.toFixed(1))} s`
  const units = { 'output-tokens': 'output tokens', 'context-tokens': 'tokens of context' }
  return `${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} ${units[currency]}`
}

/** At least cents, at most a hundredth of one: what was used shows that it is more than the limit. */
function cents(amount: number): string {
  const [whole, part = ''] = amount.toFixed(4).replace(/0+$/, '').split('.')
  return `$${whole}.${part.padEnd(2, '0')}`
}

/** `12.3k in, 1.2k out`; what came from a cache counts as in. */
export function tokenCountsText(tokens: TokenCounts): string {
  const input = tokens.inputTokens + tokens.cacheCreationTokens + tokens.cacheReadTokens
  return `${tokensText(input)} in, ${tokensText(tokens.outputTokens)} out`
}

export const codonStatusWords: Readonly<Record<CodonStatus | 'pending', string>> = {
  pending: 'waiting',
  preparing: 'preparing',
  starting: 'starting',
  initializing: 'starting',
  running: 'running',
  'completing-sentinels': 'finishing sentinels',
  completed: 'completed',
  failed: 'failed',
  skipped: 'skipped',
}

export const runStatusWords: Readonly<Record<RunStatus, string>> = {
  running: 'running',
  completed: 'completed',
  stopped: 'stopped',
  failed: 'failed',
  crashed: 'crashed',
}

export function exitText(exit: ProcessExit): string {
  switch (exit.type) {
    case 'success':
      return 'success'
    case 'error':
      return `exit code ${exit.code}`
    case 'killed':
      return `killed by ${harmless(exit.signal)}`
  }
}
