import { type EventData, isLive } from '@weave/protocol'
import { type Fields, fieldsOf, listOf } from './unknown-fields.ts'
import { lineageOf } from './view-machine.ts'
import { type Limit, type LimitScope, type View, viewCaps } from './view-model.ts'

/** A limit and how much of it is used, as far as the view knows. */
export interface LimitUse extends Limit {
  readonly used: number
}

type PlanMap = NonNullable<EventData<'preflight.result'>['plan']>

/** The limits in a plan that came over the wire, whose shape nobody vouches for: what does not fit is passed over. */
export function limitsOfPlan(plan: PlanMap): readonly Limit[] {
  const ceilings = Object.entries(fieldsOf(plan['ceilings'])).flatMap(([name, ceiling]) => {
    const { value, origin } = fieldsOf(ceiling)
    return limitsIn({ [name]: value }, { kind: 'run', origin: typeof origin === 'string' ? origin : 'run' })
  })
  const own = limitsIn(fieldsOf(plan['budget']), { kind: 'run', origin: 'hank' })
  return [...ceilings, ...own, ...listOf(plan['items']).flatMap(itemLimits)].slice(0, viewCaps.limits)
}

/**
 * The limits that matter now: of the run, and of the loops and codons that are at work. The ledger of the server is the
 * truth; this is as near as the events come: codons that were rolled back count only for the money of the run.
 */
export function limitUses(view: View, nowMs: number): readonly LimitUse[] {
  const lineage = lineageOf(view.machine)
  const live = lineage.findLast(isLive)
  const own = (scope: LimitScope) =>
    lineage.filter(codon => {
      if (scope.kind === 'run') return true
      if (scope.kind === 'loop') return codon.loopContext?.loopId === scope.loopId
      return codon.codonId === live?.codonId && baseId(codon.codonId) === scope.codonId
    })
  return view.limits.flatMap(limit => {
    const codons = own(limit.scope)
    const isAtWork = limit.scope.kind === 'run' || (live !== undefined && codons.includes(live))
    if (!isAtWork) return []
    return [{ ...limit, used: usedOf(limit, codons, view) + stillRunning(limit, codons, nowMs) }]
  })
}

type Codons = ReturnType<typeof lineageOf>

function usedOf({ currency, scope }: Limit, codons: Codons, view: View): number {
  if (currency === 'context-tokens') return view.context?.tokens ?? 0
  if (currency === 'dollars' && scope.kind === 'run') return view.totals.cost
  return codons.reduce((sum, codon) => {
    if (currency === 'dollars') return sum + codon.cost
    if (currency === 'output-tokens') return sum + codon.tokens.outputTokens
    return 'endTime' in codon ? sum + seconds(codon.startTime, Date.parse(codon.endTime)) : sum
  }, 0)
}

function stillRunning({ currency }: Limit, codons: Codons, nowMs: number): number {
  const last = codons.at(-1)
  return currency === 'seconds' && last && !('endTime' in last) ? seconds(last.startTime, nowMs) : 0
}

function seconds(from: string, toMs: number): number {
  return Math.max(0, (toMs - Date.parse(from)) / 1000)
}

function itemLimits(item: unknown): readonly Limit[] {
  const { id, budget, codons } = fieldsOf(item)
  if (typeof id !== 'string') return []
  if (codons === undefined) return limitsIn(fieldsOf(budget), { kind: 'codon', codonId: id })
  return [
    ...limitsIn(fieldsOf(budget), { kind: 'loop', loopId: id }),
    ...listOf(codons).flatMap(codon => itemLimits({ ...fieldsOf(codon), codons: undefined })),
  ]
}

const currencies = {
  maxDollars: 'dollars',
  maxTimeSeconds: 'seconds',
  maxOutputTokens: 'output-tokens',
  maxContextTokens: 'context-tokens',
} as const satisfies Readonly<Record<string, Limit['currency']>>

function limitsIn(budget: Fields, scope: LimitScope): readonly Limit[] {
  return Object.entries(currencies).flatMap(([name, currency]) => {
    const limit = budget[name]
    return typeof limit === 'number' && limit > 0 ? [{ scope, currency, limit }] : []
  })
}

function baseId(codonId: string): string {
  return codonId.replace(/#\d+$/, '')
}
