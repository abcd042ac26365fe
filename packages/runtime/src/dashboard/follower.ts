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
import {
  cachedState,
  type History,
  type Page,
  planType,
  type ReadProblem,
  type StoredEvent,
} from '../journal/index.ts'
import { createSerialQueue } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { type ExecutionLayout, executionLayout } from '../workspace/index.ts'
import { countKey } from './counts.ts'
import { historyOf, inStretches } from './histories.ts'
import type { Sink } from './job.ts'

type Turn = Pick<Sink, 'turn'>

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

  /** Who ended left the state behind: beside it only what is seldom counts. */
  const begin = async (history: History, sink: Turn | undefined): Promise<void> => {
    const cached = await cachedState(history, layout.stateFile)
    if (!cached) return
    const { state, lastSeq } = cached
    let [so, seen] = [now, 0]
    for await (const page of history.ofTypes(seldom, lastSeq)) {
      await sink?.turn()
      seen += plansIn(page, history)
      so = await withPage(so, page, history)
    }
    plans += seen
    now = { ...so, state, lastSeq }
  }

  const fold = async (sink: Turn | undefined): Promise<Followed> => {
    const history = historyOf({ dir })
    if (now.lastSeq === 0) await begin(history, sink)
    for await (const page of history.pages({ after: now.lastSeq, ...inStretches() })) {
      await sink?.turn()
      plans += plansIn(page, history)
      now = { ...(await withPage(now, page, history)), lastSeq: page.events.at(-1)?.seq ?? now.lastSeq }
    }
    return now
  }
  return {
    layout,
    /** As far as it was read. */
    soFar: (): Followed => now,
    /** As it is now. Rejects with the system's error, or when nobody waits for it. */
    look: (sink?: Turn): Promise<Followed> => looks.run(() => fold(sink)),
    /** The plan that it runs; undefined before it has begun. */
    async plan(): Promise<Plan | undefined> {
      if (planned.of !== plans)
        planned = {
          of: plans,
          plan: await frozenPlan(historyOf({ dir })),
        }
      return planned.plan
    },
  }
}

async function withPage(so: Followed, page: Page, history: History): Promise<Followed> {
  const events = await eventsIn(page, history)
  const problems = [...so.problems, ...page.problems].slice(-mostProblems)
  return { ...events.reduce(withEvent, so), problems }
}

function plansIn({ events }: Page, history: History): number {
  return events.filter(stored => history.type(stored) === planType).length
}

/** What counts of a page. Most lines are of other types, or only say a sum that a later one says anew: those are not parsed. */
async function eventsIn(page: Page, history: History): Promise<readonly JournaledEvent[]> {
  const wanted: StoredEvent[] = []
  const sums = new Map<string, StoredEvent>()
  const settle = (): void => {
    wanted.push(...sums.values())
    sums.clear()
  }
  for (const stored of page.events) {
    const type = history.type(stored)
    if (!known.has(type)) continue
    if (type !== 'state.transition') wanted.push(stored)
    else {
      const key = countKey(stored)
      if (key === undefined) settle()
      if (key === undefined) wanted.push(stored)
      else sums.set(key, stored)
    }
  }
  settle()
  const events: JournaledEvent[] = []
  for (const stored of wanted) {
    const event = history.unchecked(stored) ?? (await history.event(stored))
    if (event) events.push(event)
  }
  return events
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

const seldom: ReadonlySet<string> = new Set([...known, planType].filter(type => type !== 'state.transition'))

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
