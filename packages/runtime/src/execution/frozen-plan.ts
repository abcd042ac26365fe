import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CodonExecution, WeaveState } from '@weave/protocol'
import type { History, Journal, StoredEvent } from '../journal/index.ts'
import type { Failure, Refused, Result } from '../kit/index.ts'
import { codonNamed, type Plan, withGates } from '../plan/index.ts'
import { type AdoptionVerdict, adoption } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { mergedGates, unknownNeeds } from './frozen-gates.ts'
import { readRollbackRecord } from './intents.ts'

/** A plan of an execution, and since when it holds. */
export interface KeptPlan {
  readonly seq: number
  readonly timestamp: string
  readonly plan: Plan
}

/** What is known of a journal, or reads it. */
interface PlanSource extends Pick<History, 'event'> {
  plans(): AsyncIterable<StoredEvent> | Iterable<StoredEvent>
}

/** The plan that an execution runs: the one it began with, or the one adopted last. Undefined for one that has not begun. */
export async function frozenPlan(history: PlanSource): Promise<Plan | undefined> {
  for await (const { plan } of keptPlans(history)) return plan
  return undefined
}

/** All plans that an execution has had, newest first. */
export async function* keptPlans(history: PlanSource): AsyncGenerator<KeptPlan> {
  for await (const stored of history.plans()) {
    const event = await history.event(stored)
    if (event?.type !== 'preflight.result' || !event.data.plan) continue
    const { seq, timestamp } = event
    // Written by `freeze`; the checksum of its line proves that nobody else has touched it.
    yield { seq, timestamp, plan: event.data.plan as unknown as Plan }
  }
}

/**
 * Whether an execution has a history that its journal does not hold. To begin anew in its used workspace, and to pay again
 * for what is done, is never what a person wants. `hasPlan`: of the journal. Nothing is to be found in an execution
 * that was killed before its first event: checkpoints and states come after that.
 */
export function findLostJournal(
  layout: ExecutionLayout,
  { lastSeq, hasPlan }: { readonly lastSeq: number; readonly hasPlan: boolean },
): Refused<Failure> | undefined {
  if (hasPlan) return undefined
  const { journal, dir } = layout
  const witnesses = [
    ...(isFilled(layout.stateFile) ? [layout.stateFile] : []),
    ...(hasRefs(layout.checkpoints) ? [`the checkpoints in ${layout.checkpoints}`] : []),
  ]
  if (lastSeq === 0 && witnesses.length === 0) return undefined
  const what = lastSeq === 0 ? 'is gone or empty' : 'does not begin with its plan'
  const known = witnesses.length === 0 ? '' : `, but there is ${witnesses.join(' and ')}`
  return {
    ok: false,
    message: `The journal in ${journal} ${what}${known}: what was done in ${dir} is not known, so nothing is started in it.`,
    cure: `Restore ${journal} from a backup; or begin another execution with --start-new. "weave checkpoints" cannot help: the journal names what they hold.`,
  }
}

function isFilled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size > 0
}

/** Looked up without git: the store may be as damaged as the journal. */
function hasRefs(gitDir: string): boolean {
  try {
    const packed = join(gitDir, 'packed-refs')
    if (isFilled(packed) && /^[0-9a-f]{40} /m.test(readFileSync(packed, 'utf8'))) return true
    const refs = join(gitDir, 'refs')
    return (
      existsSync(refs) &&
      readdirSync(refs, { recursive: true, withFileTypes: true }).some(each => each.isFile())
    )
  } catch {
    return false
  }
}

export interface PlanChoice {
  readonly layout: ExecutionLayout
  /** Of the hank as it is now. */
  readonly plan: Plan
  /** A person wants the plan of the hank as it is now, also in an execution that has one. */
  readonly adopt: boolean
}

/** The plan that the execution has; that of the hank for one that begins now, or that takes an edited hank over. */
export async function planFor(
  { layout, plan, adopt }: PlanChoice,
  { journal, state }: { readonly journal: Journal; readonly state: WeaveState },
): Promise<Result<{ readonly plan: Plan; readonly notes: readonly string[] }, Failure>> {
  const frozen = await frozenPlan(journal.history)
  const hasPlan = frozen !== undefined
  const lost = findLostJournal(layout, { lastSeq: journal.lastSeq, hasPlan })
  if (lost) return lost
  if (!frozen) return { ok: true, plan: freeze(journal, plan), notes: [] }
  const unknown = unknownNeeds(frozen)
  if (unknown) return unknown
  const merged = mergedGates(frozen, plan, adopt)
  const gates = withGates(merged.gates)
  const { notes } = merged
  if (!adopt) {
    const { gates: _, needs: __, ...rest } = frozen
    const kept = merged.isNew ? freeze(journal, { ...rest, ...gates }) : frozen
    return { ok: true, plan: ofThisStart(kept, plan), notes }
  }
  const verdict = await mayAdopt(layout, { history: journal.history, next: plan, state })
  if (!verdict.ok) return verdict
  return { ok: true, plan: freeze(journal, { ...plan, ...gates }), notes }
}

export interface AdoptQuestion {
  readonly history: History
  readonly next: Plan
  readonly state: WeaveState
}

/** Whether the plan may take over in an execution as it stands. A rollback that was cut off decides first where that is. */
export async function mayAdopt(
  layout: ExecutionLayout,
  { history, next, state }: AdoptQuestion,
): Promise<AdoptionVerdict> {
  const rollback = await readRollbackRecord(layout)
  if (!rollback.ok || rollback.intent)
    return {
      ok: false,
      message: `A rollback in ${layout.dir} was cut off; where it goes on is not settled.`,
      cure: `Finish it with: weave checkpoints ${layout.dir}. Then start again.`,
    }
  const plans: Plan[] = []
  for await (const { plan } of keptPlans(history)) plans.push(plan)
  const [before = next] = plans
  return adoption({ before, next, state, identityOf: record => identityIn(plans, record) })
}

/** The state names a model by its id; the plan in which the codon has that model says which harness and provider it was. */
function identityIn(plans: readonly Plan[], { codonId, model }: CodonExecution): string | undefined {
  return plans.map(plan => codonNamed(plan, codonId)?.codon.model).find(found => found?.id === model)
    ?.identity
}

/**
 * What a person allows to spend is said anew at every start, and the hank is where this start found it: the execution may
 * have come from another machine. All else is as it was when the execution began.
 */
function ofThisStart(frozen: Plan, { ceilings = {}, hankDir }: Plan): Plan {
  return { ...frozen, ceilings, hankDir }
}

/**
 * The plan is written down when the execution begins, and when another is adopted; from then on that is what runs. On the
 * disk for good before the first checkpoint: a store with checkpoints and no journal means that the journal was lost.
 */
function freeze(journal: Journal, plan: Plan): Plan {
  journal.append('preflight.result', { ok: true, problems: [], plan: { ...plan } })
  journal.flush()
  return plan
}
