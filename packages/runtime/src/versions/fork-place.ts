import type { WeaveState } from '@weave/protocol'
import { keptPlans } from '../execution/index.ts'
import { type JournalCut, type JournalSurvey, stateIn, surveyJournal } from '../journal/index.ts'
import type { Failure, Result } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { goesOn, mayTakeOver, type StartedFrom, type Takeover } from './fork-plan.ts'
import { createPointFinder, type ForkTarget } from './fork-point.ts'
import type { ReadPlace } from './read-place.ts'

/** Where a fork begins: a checkpoint, and the execution as it was then. */
export interface ForkPlace {
  readonly target: ForkTarget
  readonly runId: string
  /** Such as `draft completed, 1a2b3c4d`. */
  readonly label: string
  /** The last event that belongs to it, and when that was. */
  readonly seq: number
  readonly time: string
  /** Of the journal, right after it. */
  readonly cut: JournalCut
  /** Right after that event. */
  readonly state: WeaveState
  /** In force then first, then those before it. */
  readonly plans: readonly Plan[]
  readonly startedFrom: StartedFrom
}

/** What a person means by the name of a checkpoint, looked up in the journal. */
export async function forkPlace(
  place: ReadPlace,
  at: string,
): Promise<Result<{ readonly point: ForkPlace }, Failure>> {
  const named = await place.named(at)
  if (!named.ok) return { ...named, cure: 'Every name that "weave checkpoints" shows will do.' }
  const { target: found, sha, label } = named
  if (!found)
    return {
      ok: false,
      message: 'A safety checkpoint has no place in the plan. Roll back to it first.',
      cure: 'weave rollback --undo',
    }
  const { startedFrom } = found
  const isBeginning = startedFrom.type === 'continuation' && startedFrom.codonId === undefined
  const target = { sha, type: isBeginning ? 'start' : found.type, codonId: isBeginning ? '' : found.codonId }
  const survey = place.survey ?? (await surveyJournal(place.history))
  const seen = await pointIn(survey, target)
  const cut = seen && survey.cutAfter(seen.seq)
  if (!cut)
    return {
      ok: false,
      message: `The journal does not tell of ${label}.`,
      cure: `Look at it: weave journal ${place.layout.dir}`,
    }
  const state = await stateIn(survey, seen.seq)
  const plans: Plan[] = []
  for await (const { seq, plan } of keptPlans(survey)) if (seq <= seen.seq) plans.push(plan)
  const runId = startedFrom.type === 'continuation' ? startedFrom.runId : ''
  return { ok: true, point: { target, runId, label, ...seen, cut, state, plans, startedFrom } }
}

async function pointIn(survey: JournalSurvey, target: ForkTarget) {
  const finder = createPointFinder(target)
  const times = new Map<number, string>()
  for (const stored of survey.marked) {
    const event = await survey.event(stored)
    if (!event) continue
    const seq = finder.hear(event)
    times.set(event.seq, event.timestamp)
    if (seq !== undefined) return { seq, time: times.get(seq) ?? event.timestamp }
  }
  const seq = finder.atEnd()
  return seq === undefined ? undefined : { seq, time: times.get(seq) ?? '' }
}

/** Whether the fork can go on with the plan it is to have, and where. */
export function takeoverAt({ plans, state, startedFrom }: ForkPlace, next: Plan | undefined): Takeover {
  if (next) return mayTakeOver({ plans, next, state, startedFrom })
  const [plan] = plans
  return { ok: true, differing: [], entry: plan && goesOn(plan, state, startedFrom) }
}
