import { isDeepStrictEqual } from 'node:util'
import type { Failure, Refused } from '../kit/index.ts'
import { codonNamed, type Plan, type PlannedGate } from '../plan/index.ts'

/** What a plan may ask of the program that runs it. */
const known: ReadonlySet<string> = new Set(['gates'])

/** A plan that an execution began with may ask for what this version does not have: running on without it would pass over it. */
export function unknownNeeds({ needs = [] }: Plan): Refused<Failure> | undefined {
  const missing = needs.filter(need => !known.has(need))
  if (missing.length === 0) return undefined
  return {
    ok: false,
    message: `The plan of this execution needs ${missing.map(need => `"${need}"`).join(', ')}, which this version of weave does not know.`,
    cure: 'Go on with the version that began it, or a newer one; or begin another execution with --start-new.',
  }
}

export interface MergedGates {
  readonly gates: readonly PlannedGate[]
  /** Today asks for a gate that the execution did not have. */
  readonly isNew: boolean
  readonly notes: readonly string[]
}

/** A later start may add gates and never drops one without a word. Pure. */
export function mergedGates(frozen: Plan, today: Plan, adopts: boolean): MergedGates {
  const kept = (frozen.gates ?? []).filter(gate => !adopts || isThere(today, gate))
  const ids = new Set(kept.map(({ id }) => id))
  const asked = new Map((today.gates ?? []).map(gate => [gate.id, gate]))
  const added = [...asked.values()].filter(({ id }) => !ids.has(id))
  const gone = (frozen.gates ?? []).filter(gate => !kept.includes(gate) && !asked.has(gate.id))
  const notes = [
    ...added.map(
      ({ id, before, after }) =>
        `Gate ${id} is new in this execution, ${before === undefined ? `after ${after}` : `before ${before}`}.`,
    ),
    ...kept
      .filter(({ id }) => !asked.has(id))
      .map(
        ({ id }) =>
          `Gate ${id} is not in weave.json any more; it still holds. To leave it out: --no-gate ${id}.`,
      ),
    ...kept
      .filter(gate => asked.has(gate.id) && !isDeepStrictEqual(asked.get(gate.id), gate))
      .map(({ id }) => `Gate ${id} is other in weave.json now; it holds as it was when the execution began.`),
    ...gone.map(({ id }) => `Gate ${id} is gone: the hank has no longer what it stood at.`),
  ]
  return { gates: [...kept, ...added], isNew: added.length > 0, notes }
}

function isThere(plan: Plan, { before, after }: PlannedGate): boolean {
  const name = before ?? after ?? ''
  return codonNamed(plan, name) !== undefined || plan.items.some(({ id }) => id === name)
}
