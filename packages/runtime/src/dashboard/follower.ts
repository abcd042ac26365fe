import {
  type EventData,
  emptyState,
  type JournaledEvent,
  type Reduction,
  reduce,
  type Transition,
  type WeaveState,
} from '@weave/protocol'
import { frozenPlan } from '../execution/index.ts'
import { bookTypes, emptyBook, type GateBook, heard } from '../gates/index.ts'
import { createHistory, type ReadProblem } from '../journal/index.ts'
import { createSerialQueue } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { type ExecutionLayout, executionLayout } from '../workspace/index.ts'

/** What an execution has come to: its journal, folded. */
export interface Followed {
  readonly state: WeaveState
  readonly book: GateBook
  /** The runs that a rollback opened. */
  readonly rolledBack: ReadonlySet<string>
  readonly fired: readonly { readonly seq: number; readonly data: EventData<'rule.fired'> }[]
  readonly warnings: number
  readonly lastSeq: number
  readonly problems: readonly ReadProblem[]
}

/**
 * Follows one execution, live or at rest: each look reads only what was written since the one before. Nothing is locked
 * and nothing is written.
 */
export type Follower = ReturnType<typeof createFollower>

export function createFollower(dir: string) {
  const layout: ExecutionLayout = executionLayout(dir)
  let now: Followed = nothing
  /** How many plans were seen, and how many when the plan was read. */
  let plans = 0
  let planned: { readonly of: number; readonly plan: Plan | undefined } = { of: 0, plan: undefined }
  const looks = createSerialQueue()

  const fold = async (signal?: AbortSignal): Promise<Followed> => {
    const history = createHistory({ dir: layout.journal, readOnly: true })
    for await (const page of history.pages({ after: now.lastSeq, maxEvents: 5_000, maxBytes: 8 << 20 })) {
      signal?.throwIfAborted()
      let next: Followed = { ...now, problems: [...now.problems, ...page.problems].slice(-mostProblems) }
      for (const stored of page.events) {
        // Most lines are of other types: those are not parsed.
        const type = history.type(stored)
        if (type === 'preflight.result') plans++
        if (!known.has(type)) continue
        const event = history.unchecked(stored) ?? (await history.event(stored))
        if (event) next = withEvent(next, event)
      }
      now = { ...next, lastSeq: page.events.at(-1)?.seq ?? now.lastSeq }
    }
    return now
  }
  return {
    layout,
    /** As far as it was read. */
    soFar: (): Followed => now,
    /** As it is now. Rejects with the system's error, or when the signal aborts. */
    look: (signal?: AbortSignal): Promise<Followed> => looks.run(() => fold(signal)),
    /** The plan that it runs; undefined before it has begun. */
    async plan(): Promise<Plan | undefined> {
      if (planned.of !== plans)
        planned = {
          of: plans,
          plan: await frozenPlan(createHistory({ dir: layout.journal, readOnly: true })),
        }
      return planned.plan
    },
  }
}

const mostProblems = 1_000

const nothing: Followed = {
  state: emptyState,
  book: emptyBook,
  rolledBack: new Set(),
  fired: [],
  warnings: 0,
  lastSeq: 0,
  problems: [],
}

const known: ReadonlySet<string> = new Set([
  ...bookTypes,
  'state.transition',
  'rollback.completed',
  'rule.fired',
  'error',
])

function withEvent(so: Followed, event: JournaledEvent): Followed {
  const { type, data, seq } = event
  const next = { ...so, book: heard(so.book, event) }
  switch (type) {
    case 'state.transition': {
      const reduction = reduced(so.state, data.transition)
      return reduction?.ok ? { ...next, state: reduction.state } : next
    }
    case 'rollback.completed':
      return { ...next, rolledBack: new Set([...so.rolledBack, data.toRun]) }
    case 'rule.fired':
      return { ...next, fired: [...so.fired, { seq, data }] }
    case 'error':
      return { ...next, warnings: so.warnings + 1 }
    default:
      return next
  }
}

/** The checksum of its line proves that this program wrote the transition: it is not checked again. */
function reduced(state: WeaveState, transition: object): Reduction | undefined {
  try {
    return reduce(state, transition as Transition)
  } catch {
    return undefined
  }
}
