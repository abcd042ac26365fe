import type { ExecutionHead, PlanOutline, ReportAttempt } from 'weave-client'

/** The plan with what became of each item: what a rollback took back does not count. Pure. */
export interface PlanCodon {
  readonly kind: 'codon'
  /** Runtime id. */
  readonly id: string
  readonly name: string
  readonly model: string
  readonly status: ReportAttempt['status'] | 'pending'
  readonly attempts: number
  readonly cost: number
  readonly isCostUnknown: boolean
  readonly durationMs: number
  /** When the attempt at work began. */
  readonly since?: number
  readonly reason?: string
}

export interface PlanLoop {
  readonly kind: 'loop'
  readonly id: string
  readonly name: string
  readonly limit: number | null
  /** The iteration that is shown, from 0. */
  readonly iteration: number
  readonly isBegun: boolean
  readonly cost: number
  readonly codons: readonly PlanCodon[]
}

export type PlanLine = PlanCodon | PlanLoop

interface Placed extends ReportAttempt {
  readonly startMs: number
}

const live: ReadonlySet<string> = new Set([
  'preparing',
  'starting',
  'initializing',
  'running',
  'completing-sentinels',
])

export function planOf({
  outline,
  runs,
  live: isLive,
}: Pick<ExecutionHead, 'outline' | 'runs' | 'live'>): readonly PlanLine[] {
  const counting = runs.flatMap(run =>
    run.attempts
      .filter(attempt => !attempt.isUndone)
      .map(attempt => ({ ...attempt, startMs: Date.parse(run.startTime) + attempt.fromMs })),
  )
  const items = outline?.items ?? itemsOf(counting)
  return items.map(item =>
    item.kind === 'loop' ? loopLine(item, counting, isLive) : codonLine(item, counting, isLive),
  )
}

type Item = PlanOutline['items'][number]
type Codon = Pick<Extract<Item, { kind: 'codon' }>, 'id' | 'name' | 'model'>

function codonLine({ id, name, model }: Codon, attempts: readonly Placed[], isLive: boolean): PlanCodon {
  const own = attempts.filter(({ codonId }) => codonId === id)
  const newest = own.at(-1)
  const isAtWork = isLive && newest !== undefined && live.has(newest.status)
  return {
    kind: 'codon',
    id,
    name,
    model: newest?.model ?? model,
    status: newest?.status ?? 'pending',
    attempts: newest?.attempt ?? 0,
    cost: own.reduce((sum, { cost }) => sum + cost, 0),
    isCostUnknown: own.some(({ isCostUnknown }) => isCostUnknown),
    durationMs: own.reduce((sum, each) => sum + (isAtWork && each === newest ? 0 : each.durationMs), 0),
    ...(isAtWork ? { since: newest.startMs } : {}),
    ...(newest?.reason === undefined ? {} : { reason: newest.reason }),
  }
}

function loopLine(
  item: Extract<Item, { kind: 'loop' }>,
  attempts: readonly Placed[],
  isLive: boolean,
): PlanLoop {
  const own = attempts.filter(({ loop }) => loop?.id === item.id)
  const iteration = own.reduce((most, { loop }) => Math.max(most, loop?.iteration ?? 0), 0)
  return {
    kind: 'loop',
    id: item.id,
    name: item.name,
    limit: item.limit,
    iteration,
    isBegun: own.length > 0,
    cost: own.reduce((sum, { cost }) => sum + cost, 0),
    codons: item.codons.map(codon => codonLine({ ...codon, id: `${codon.id}#${iteration}` }, own, isLive)),
  }
}

/** A plan that was not written down: what is known to have run, in its order. */
function itemsOf(attempts: readonly Placed[]): readonly Item[] {
  const rest = { limits: [], environment: [], sentinels: [] }
  const seen = new Map(attempts.map(({ codonId, codonName, model }) => [codonId, { codonName, model }]))
  return [...seen].map(([id, { codonName, model }]) => ({
    kind: 'codon',
    id,
    name: codonName,
    model,
    ...rest,
  }))
}
