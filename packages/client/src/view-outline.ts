import {
  type BudgetBreach,
  type CodonExecution,
  type CodonStatus,
  currentRun,
  type FailureReason,
  isLive,
  type RunStatus,
  type TokenCounts,
} from '@weave/protocol'
import { durationOf, iterationOf, lineageOf, sumOf } from './view-machine.ts'
import type { PlanItem, View } from './view-model.ts'

/** One codon as a line of the plan: all its attempts together. */
export interface CodonLine {
  readonly kind: 'codon'
  /** Runtime id. */
  readonly codonId: string
  readonly name: string
  readonly model: string
  readonly status: CodonStatus | 'pending'
  /** 0: it has not started. */
  readonly attempts: number
  /** All attempts. */
  readonly cost: number
  readonly costUnknown: boolean
  readonly tokens: TokenCounts
  /** Of the attempts that have ended. */
  readonly durationMs: number
  /** When the attempt that runs now began. */
  readonly runningSince?: string
  readonly extensions: number
  readonly failureReason?: FailureReason
  readonly budgetExceeded?: BudgetBreach
}

export interface LoopLine {
  readonly kind: 'loop'
  readonly loopId: string
  readonly name: string
  /** Null: none, or not known to a client that came late. */
  readonly limit: number | null
  /** The iteration that is shown, from 0: the one that runs, else the last that ran. */
  readonly iteration: number
  /** Iterations done. */
  readonly completed: number
  readonly ended: boolean
  readonly begun: boolean
  readonly cost: number
  readonly durationMs: number
  /** The codons of that iteration. */
  readonly codons: readonly CodonLine[]
}

export type OutlineLine = CodonLine | LoopLine

/** The run that is shown: the last one. */
export interface RunLine {
  /** Empty while a client that came late has not heard it. */
  readonly runId: string
  readonly status: RunStatus
  readonly startTime: string
  readonly endTime?: string
  readonly reason?: string
  readonly hankName?: string
  readonly cost: number
}

export function runOf(view: View): RunLine | undefined {
  const run = currentRun(view.machine.state)
  if (!run) return undefined
  return {
    runId: run.runId,
    status: run.status,
    startTime: run.startTime,
    ...('endTime' in run ? { endTime: run.endTime } : {}),
    ...('reason' in run && run.reason !== undefined ? { reason: run.reason } : {}),
    ...(view.plan ? { hankName: view.plan.hankName } : {}),
    cost: view.totals.runCost,
  }
}

/**
 * How long the execution has been at work: its runs together, without the time between them. A run that was cut off ends,
 * as far as anybody knows, when the next one finds it so; it counts by its codons.
 */
export function elapsedOf({ machine }: View, nowMs: number): number | undefined {
  const { runs } = machine.state
  if (runs.length === 0) return undefined
  return runs.reduce((sum, run) => {
    if (run.status === 'crashed') return sum + run.codons.reduce((all, codon) => all + durationOf(codon), 0)
    const end = 'endTime' in run ? Date.parse(run.endTime) : nowMs
    return sum + Math.max(0, end - Date.parse(run.startTime))
  }, 0)
}

/** The plan with what became of each item. Without a plan (a client that came late): what is known to have run. */
export function outlineOf(view: View): readonly OutlineLine[] {
  const lineage = lineageOf(view.machine)
  const records = byCodon(lineage)
  const items = view.plan?.outline ?? itemsOf(lineage)
  return items.map(item => ('codons' in item ? loopLine(item, records, view) : codonLine(item, records)))
}

/** The codon that runs now, or undefined. */
export function currentCodon(view: View): CodonLine | undefined {
  const lineage = lineageOf(view.machine)
  const live = lineage.at(-1)
  if (!live || !isLive(live)) return undefined
  const attempts = lineage.filter(codon => codon.codonId === live.codonId)
  return codonLine(itemOf(live, live.codonId), new Map([[live.codonId, attempts]]))
}

/** The codon whose failure ended the run, while nothing else has begun since. */
export function failedCodon(view: View): CodonLine | undefined {
  if (currentRun(view.machine.state)?.status !== 'failed') return undefined
  const lineage = lineageOf(view.machine)
  const last = lineage.at(-1)
  if (last?.status !== 'failed') return undefined
  const attempts = lineage.filter(codon => codon.codonId === last.codonId)
  return codonLine(itemOf(last, last.codonId), new Map([[last.codonId, attempts]]))
}

/** Whether some usage of this run had no known price, so that sums of money are only the known part. */
export function isCostUnknown(view: View): boolean {
  return (
    view.summary?.costUnknown === true || lineageOf(view.machine).some(codon => codon.costUnknown === true)
  )
}

type Records = ReadonlyMap<string, readonly CodonExecution[]>
type LoopItem = Extract<PlanItem, { readonly codons: unknown }>
type CodonItem = Exclude<PlanItem, LoopItem>

function codonLine(item: CodonItem, records: Records): CodonLine {
  const attempts = records.get(item.id) ?? []
  const newest = attempts.at(-1)
  const facts = newest ? factsOf(newest) : { status: 'pending' as const, attempts: 0, extensions: 0 }
  return {
    kind: 'codon',
    codonId: item.id,
    name: item.name,
    model: newest?.model ?? item.model,
    ...facts,
    cost: sumOf(attempts, codon => codon.cost),
    costUnknown: attempts.some(codon => codon.costUnknown === true),
    tokens: tokensOf(attempts),
    durationMs: sumOf(attempts, durationOf),
  }
}

function factsOf(codon: CodonExecution) {
  const { status, attempt: attempts, extensionCount: extensions } = codon
  return {
    status,
    attempts,
    extensions,
    ...(isLive(codon) ? { runningSince: codon.startTime } : {}),
    ...('failureReason' in codon ? { failureReason: codon.failureReason } : {}),
    ...('budgetExceeded' in codon && codon.budgetExceeded ? { budgetExceeded: codon.budgetExceeded } : {}),
  }
}

function loopLine(item: LoopItem, records: Records, view: View): LoopLine {
  const own = [...records.values()].flat().filter(codon => codon.loopContext?.loopId === item.id)
  const iteration = own.reduce((max, codon) => Math.max(max, iterationOf(codon)), 0)
  const progress = view.loops[item.id] ?? { completed: 0, cost: 0, durationMs: 0 }
  const open = own.filter(codon => iterationOf(codon) >= progress.completed)
  return {
    kind: 'loop',
    loopId: item.id,
    name: item.name,
    limit: item.limit,
    iteration,
    completed: Math.max(progress.completed, iteration),
    ended: progress.last !== undefined,
    begun: own.length > 0 || progress.completed > 0,
    // Old records may be gone and old iterations unseen, never both: the larger of the two sums is the true one.
    cost: Math.max(
      sumOf(own, codon => codon.cost),
      progress.cost + sumOf(open, codon => codon.cost),
    ),
    durationMs: Math.max(sumOf(own, durationOf), progress.durationMs + sumOf(open, durationOf)),
    codons: item.codons.map(codon => codonLine({ ...codon, id: `${codon.id}#${iteration}` }, records)),
  }
}

/** A plan made from what has run, in the order in which it began. */
function itemsOf(lineage: readonly CodonExecution[]): readonly PlanItem[] {
  const items = new Map<string, PlanItem>()
  for (const codon of lineage) {
    const loopId = codon.loopContext?.loopId
    if (loopId === undefined) {
      items.set(`codon ${codon.codonId}`, itemOf(codon, codon.codonId))
      continue
    }
    const key = `loop ${loopId}`
    const known = items.get(key)
    const codons = known && 'codons' in known ? known.codons : []
    const id = codon.codonId.replace(/#\d+$/, '')
    const isKnown = codons.some(other => other.id === id)
    items.set(key, {
      id: loopId,
      name: loopId,
      limit: null,
      codons: isKnown ? codons : [...codons, itemOf(codon, id)],
    })
  }
  return [...items.values()]
}

function itemOf(codon: CodonExecution, id: string): CodonItem {
  return { id, name: codon.codonName, model: codon.model }
}

function byCodon(lineage: readonly CodonExecution[]): Records {
  const records = new Map<string, CodonExecution[]>()
  for (const codon of lineage) {
    const known = records.get(codon.codonId)
    if (known) known.push(codon)
    else records.set(codon.codonId, [codon])
  }
  return records
}

function tokensOf(codons: readonly CodonExecution[]): TokenCounts {
  return {
    inputTokens: sumOf(codons, codon => codon.tokens.inputTokens),
    outputTokens: sumOf(codons, codon => codon.tokens.outputTokens),
    cacheCreationTokens: sumOf(codons, codon => codon.tokens.cacheCreationTokens),
    cacheReadTokens: sumOf(codons, codon => codon.tokens.cacheReadTokens),
  }
}
