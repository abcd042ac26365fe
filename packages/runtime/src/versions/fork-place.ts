import type { WeaveState } from '@weave/protocol'
import { keptPlans } from '../execution/index.ts'
import { replay } from '../journal/index.ts'
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
  const seen = await pointIn(place, target)
  if (!seen)
    return {
      ok: false,
      message: `The journal does not tell of ${label}.`,
      cure: `Look at it: weave journal ${place.layout.dir}`,
    }
  const { state } = await replay(place.history, place.layout.stateFile, { upTo: seen.seq })
  const plans: Plan[] = []
  for await (const { seq, plan } of keptPlans(place.history)) if (seq <= seen.seq) plans.push(plan)
  const runId = startedFrom.type === 'continuation' ? startedFrom.runId : ''
  return { ok: true, point: { target, runId, label, ...seen, state, plans, startedFrom } }
}

const mark = Buffer.from('"type":"state.transition"')
const completedMark = Buffer.from('"type":"codon.completed"')
const headBytes = 4096

async function pointIn({ history }: ReadPlace, target: ForkTarget) {
  const finder = createPointFinder(target)
  const times = new Map<number, string>()
  for await (const { events } of history.pages({ maxEvents: 2_000 })) {
    for (const stored of events) {
      const head = stored.rest.subarray(0, headBytes)
      const event =
        head.includes(mark) || head.includes(completedMark) ? await history.event(stored) : undefined
      if (!event) continue
      const seq = finder.hear(event)
      times.set(event.seq, event.timestamp)
      if (seq !== undefined) return { seq, time: times.get(seq) ?? event.timestamp }
    }
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
