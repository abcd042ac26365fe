import type { CodonExecution, RunState, SentinelState, TokenCounts, WeaveState } from '@weave/protocol'
import type { Prices } from '../models/index.ts'
import { codonNamed, type Plan, type PlannedModel } from '../plan/index.ts'
import type { TimeNotes } from './active-time.ts'
import { type Currency, limitsOf, tidy } from './meters.ts'
import { noSpend, plus, type Spend, spendOf } from './spend.ts'

/** What an execution has cost, for whom and at which prices. Money of all runs: nothing is ever taken back. */
export interface CostReport {
  readonly codons: readonly CodonCost[]
  /** Sentinels are no part of a codon's cost; they are listed apart. */
  readonly sentinels: readonly SentinelCost[]
  readonly totals: { readonly codons: number; readonly sentinels: number; readonly all: number }
  /** Some usage had no known price: the totals are the known part. */
  readonly costUnknown: boolean
}

/** All attempts at one codon with one model. */
export interface CodonCost {
  /** Runtime id. */
  readonly codonId: string
  readonly codonName: string
  readonly model: string
  readonly provider?: string
  /** In all runs. */
  readonly attempts: number
  /** As recorded: of messages at the prices below, or what the harness said at the end. */
  readonly cost: number
  readonly costUnknown: boolean
  readonly classes: readonly ClassCost[]
  /** Of the plan; absent: not known. */
  readonly prices?: PriceOrigin
}

interface PriceOrigin {
  readonly source: string
  readonly date?: string
  /** Long requests cost more than the prices that are listed. */
  readonly hasTiers: boolean
}

type TokenClass = 'input' | 'output' | 'cacheWrite' | 'cacheRead'

export interface ClassCost {
  readonly class: TokenClass
  readonly tokens: number
  /** Dollars for one million tokens; absent: not known. */
  readonly price?: number
  /** Tokens at that price. The sum over the classes is `cost` only when no request was long and the harness agrees. */
  readonly dollars?: number
}

export type SentinelCost = ReturnType<typeof sentinelCost>

export function costReport(state: WeaveState, plan: Plan): CostReport {
  const records = state.runs.flatMap(({ codons }) => codons)
  const codons = groupsOf(records, ({ codonId, model }) => JSON.stringify([codonId, model])).map(attempts =>
    codonCost(attempts, plan),
  )
  const watched = records.flatMap(({ codonId, sentinels = [] }) =>
    sentinels.map(sentinel => ({ codonId, sentinel })),
  )
  const sentinels = groupsOf(watched, each => JSON.stringify([each.codonId, each.sentinel.sentinelId])).map(
    sentinelCost,
  )
  const totals = { codons: total(codons), sentinels: total(sentinels) }
  return {
    codons,
    sentinels,
    totals: { ...totals, all: totals.codons + totals.sentinels },
    costUnknown: [...codons, ...sentinels].some(({ costUnknown }) => costUnknown),
  }
}

type Group<T> = readonly [T, ...T[]]

/** In the order in which each group was first seen. */
function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): readonly Group<T>[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}

function codonCost(attempts: Group<CodonExecution>, plan: Plan): CodonCost {
  const [{ codonId, codonName, model: id }] = attempts
  const planned = codonNamed(plan, codonId)?.codon.model
  const model = planned?.id === id ? planned : undefined
  return {
    codonId,
    codonName,
    model: id,
    ...(model && { provider: model.provider }),
    attempts: attempts.length,
    cost: total(attempts),
    costUnknown: attempts.some(({ costUnknown }) => costUnknown === true),
    classes: classes.map(row => classCost(attempts, row, model?.prices)),
    ...originOf(model),
  }
}

const classes = [
  { class: 'input', count: 'inputTokens' },
  { class: 'output', count: 'outputTokens' },
  { class: 'cacheWrite', count: 'cacheCreationTokens' },
  { class: 'cacheRead', count: 'cacheReadTokens' },
] as const satisfies readonly { readonly class: TokenClass; readonly count: keyof TokenCounts }[]

function classCost(
  attempts: readonly CodonExecution[],
  row: (typeof classes)[number],
  prices: Prices | undefined,
): ClassCost {
  const tokens = attempts.reduce((sum, attempt) => sum + attempt.tokens[row.count], 0)
  const price = prices?.[row.class]
  const priced = price !== undefined && { price, dollars: (tokens * price) / 1e6 }
  return { class: row.class, tokens, ...priced }
}

function originOf(model: PlannedModel | undefined): { readonly prices?: PriceOrigin } {
  if (!model?.prices) return {}
  const { source, date, tiers } = model.prices
  return { prices: { source, ...(date !== undefined && { date }), hasTiers: (tiers?.length ?? 0) > 0 } }
}

function sentinelCost(observations: Group<{ readonly codonId: string; readonly sentinel: SentinelState }>) {
  const [{ codonId, sentinel }] = observations
  const all = observations.map(each => each.sentinel)
  const sum = (amount: (state: SentinelState) => number) => all.reduce((so, each) => so + amount(each), 0)
  return {
    codonId,
    sentinelId: sentinel.sentinelId,
    cost: total(all),
    costUnknown: all.some(({ costUnknown }) => costUnknown === true),
    calls: sum(({ llmCallCount }) => llmCallCount),
    tokens: { input: sum(({ tokens }) => tokens.input), output: sum(({ tokens }) => tokens.output) },
  }
}

function total(parts: readonly { readonly cost: number }[]): number {
  return parts.reduce((sum, { cost }) => sum + cost, 0)
}

/**
 * For each codon of a run, in order, its limits when the run began and what its attempts in this run, up to this one,
 * used: lines of the summary of a run. Context tokens are there only after a breach: nothing else remembers them.
 */
export function budgetUse(plan: Plan, run: RunState, notes: TimeNotes = {}) {
  const attempts = new Map<string, Spend>()
  return run.codons.map(record => {
    const { codonId } = record
    const spend = plus(attempts.get(codonId) ?? noSpend, spendOf(record, run, notes))
    attempts.set(codonId, spend)
    const codon = codonNamed(plan, codonId)
    if (!codon) return []
    return limitsOf(plan, codon).flatMap(({ currency, limit, scope }) => {
      const used = usedOf(currency, spend, record)
      return used === undefined ? [] : [{ currency, limit: tidy(limit), used: tidy(used), source: scope }]
    })
  })
}

function usedOf(currency: Currency, spend: Spend, record: CodonExecution): number | undefined {
  if (currency === 'dollars') return spend.dollars
  if (currency === 'seconds') return spend.seconds
  if (currency === 'output-tokens') return spend.tokens.outputTokens
  const breach = 'budgetExceeded' in record ? record.budgetExceeded : undefined
  return breach?.currency === currency ? breach.used : undefined
}
