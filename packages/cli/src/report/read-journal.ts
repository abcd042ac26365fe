import {
  type Bounded,
  type EventData,
  emptyState,
  type JournaledEvent,
  parseTransition,
  type ReportError,
  type ReportEvents,
  reduce,
  type SentinelOutput,
  type SpendingPoint,
  type Transition,
  type WeaveState,
} from '@weave/protocol'
import { createRunClock, createTokenMeter, findPrompts, type JournalDamage, readEvents } from '@weave/runtime'
import { cut } from 'weave-client'
import { createEventColumns } from './event-columns.ts'

export type BudgetLines = NonNullable<EventData<'run.completed'>['codons'][number]['budget']>

export type OutputCopy = EventData<'outputs.copied'> & { readonly time: string }

/** What a report needs of a journal, from one reading of it. */
export interface JournalReading {
  readonly state: WeaveState
  readonly plan: EventData<'preflight.result'>['plan']
  readonly events: ReportEvents
  readonly spending: readonly SpendingPoint[]
  readonly sentinels: Bounded<SentinelOutput>
  readonly errors: Bounded<ReportError>
  /** What the newest end of a run says of each codon's limits, by runtime id. */
  readonly budgets: ReadonlyMap<string, BudgetLines>
  readonly outputs: readonly OutputCopy[]
  /** The runs that a rollback opened. */
  readonly rolledBack: ReadonlySet<string>
  /** What of it is not as it was written. */
  readonly damage: readonly JournalDamage[]
}

/** Holds a bounded part of what it reads. */
export async function readJournal(layout: Parameters<typeof readEvents>[0]): Promise<JournalReading> {
  const reading = createReading()
  const damage: JournalDamage[] = []
  const prompts = findPrompts(layout)
  for await (const { event } of readEvents(layout, {}, each => void damage.push(each)))
    reading.add(event, (await prompts.of(event))?.prompt)
  return { ...reading.result(), damage }
}

const mostSaid = 500
const longestSaid = 6_000

function createReading() {
  const columns = createEventColumns()
  const spending = createSpendingPoints()
  const sentinels = createNewestItems<SentinelOutput>(mostSaid)
  const errors = createNewestItems<ReportError>(mostSaid)
  const outputs: OutputCopy[] = []
  const rolledBack = new Set<string>()
  const budgets = new Map<string, BudgetLines>()
  let state = emptyState
  let plan: JournalReading['plan']

  const follow = (event: JournaledEvent<'state.transition'>): void => {
    const transition = parseTransition(event.data.transition)
    const reduction = 'problem' in transition ? undefined : reduce(state, transition)
    if ('problem' in transition || !reduction?.ok) return
    state = reduction.state
    spending.add({ timestamp: event.timestamp, transition, dollars: state.totalCost })
  }
  return {
    add(event: JournaledEvent, prompt: string | undefined): void {
      columns.add(event, prompt)
      const { type, data } = event
      if (type === 'state.transition') follow(event)
      if (type === 'preflight.result') plan = data.plan ?? plan
      if (type === 'run.completed')
        for (const { codonId, budget } of data.codons) if (budget) budgets.set(codonId, budget)
      if (type === 'outputs.copied') outputs.push({ ...data, time: event.timestamp })
      if (type === 'rollback.completed') rolledBack.add(data.toRun)
      if (type === 'sentinel.output') sentinels.add(sentinelOutput(event.timestamp, data))
      const error = errorOf(event)
      if (error) errors.add({ ...error, time: event.timestamp, message: cut(error.message, longestSaid) })
    },
    result: () => ({
      state,
      plan,
      events: columns.result(),
      spending: spending.result(),
      sentinels: sentinels.result(),
      errors: errors.result(),
      budgets,
      outputs,
      rolledBack,
    }),
  }
}

function sentinelOutput(time: string, data: EventData<'sentinel.output'>): SentinelOutput {
  const { sentinelId, codonId, content, cost } = data
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  return { sentinelId, codonId, time, text: cut(text, longestSaid), cost }
}

/** The failure of a codon that ends a run is journaled twice, as its end and as an error: once is enough here. */
function errorOf({ type, data }: JournaledEvent): Omit<ReportError, 'time'> | undefined {
  switch (type) {
    case 'error':
      if (data.codon !== undefined && (data.severity === 'codon' || data.severity === 'fatal'))
        return undefined
      return {
        kind: data.fatal ? 'fatal' : (data.severity ?? 'error'),
        ...(data.codon !== undefined && { codonId: data.codon }),
        message: data.message,
      }
    case 'sentinel.error':
      return { kind: `sentinel ${data.sentinelId}`, codonId: data.codonId, message: data.message }
    case 'codon.retrying':
      return {
        kind: 'retry',
        codonId: data.codonId,
        message: `Attempt ${data.attempt} of ${data.maxAttempts} follows: ${data.failureReason.message ?? data.failureReason.type}`,
      }
    case 'codon.completed':
      if (data.success) return undefined
      return {
        kind: 'codon',
        codonId: data.codonId,
        message: data.failureReason?.message ?? data.failureReason?.type ?? 'It failed without a reason.',
      }
    default:
      return undefined
  }
}

/** Keeps the newest of what is added, oldest first, and counts the older ones. */
function createNewestItems<Item>(most: number) {
  const items: Item[] = []
  let leftOut = 0
  return {
    add(item: Item): void {
      items.push(item)
      if (items.length <= most) return
      items.shift()
      leftOut++
    },
    result: (): Bounded<Item> => ({ items, leftOut }),
  }
}

interface SpendingStep {
  /** ISO. */
  readonly timestamp: string
  readonly transition: Transition
  /** Of all runs, after the transition. */
  readonly dollars: number
}

const mostPoints = 400

/** Follows money and tokens through the transitions of a journal. The time between two runs does not count. */
export function createSpendingPoints(most = mostPoints) {
  const meter = createTokenMeter()
  const clock = createRunClock()
  let points: SpendingPoint[] = []
  return {
    add({ timestamp, transition, dollars }: SpendingStep): void {
      meter.add(transition)
      const ms = clock.read(transition, timestamp)
      const last = points.at(-1)
      const isNews =
        !last || last[1] !== dollars || last[2] !== meter.tokens || transition.type.startsWith('Run')
      if (clock.run === 0 || !isNews) return
      points.push([ms, dollars, meter.tokens, clock.run])
      if (points.length >= most * 2) points = thinned(points, most)
    },
    result: (): readonly SpendingPoint[] => (points.length > most ? thinned(points, most) : points),
  }
}

/** Of points that lie close together the last: it holds what the earlier ones do. */
function thinned(points: readonly SpendingPoint[], most: number): SpendingPoint[] {
  const step = Math.max(1, ((points.at(-1)?.[0] ?? 0) + 1) / most)
  const kept = new Map(points.map(point => [Math.floor(point[0] / step), point]))
  return [...kept.values()]
}
