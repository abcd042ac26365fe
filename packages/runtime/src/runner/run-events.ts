import { currentRun, type EventData, type JournaledType, lineageOf } from '@weave/protocol'
import { type LeftLoop, ledgerOf, type TimeNotes } from '../budget/index.ts'
import type { Journal } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import { codonAt, endsIteration, type Plan, type PlannedCodonAt } from '../plan/index.ts'
import { emitExceeded } from './budget-watch.ts'
import { parkedAfterMs } from './decide.ts'
import type { NewEvent } from './harness-events.ts'
import { following, isLoopDry, isPassed, leavesLoop, wasInterrupted } from './lineage.ts'
import type { Recorder } from './state-recorder.ts'

export interface RunEventsOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
  readonly times?: (() => TimeNotes) | undefined
}

/** What can be the answer to a command: the first of these after it. */
const answers: ReadonlySet<JournaledType> = new Set([
  'codon.started',
  'codon.completed',
  'server.idle',
  'run.completed',
  'rollback.started',
])

/** The last moment that a timestamp can name. */
const endOfTime = 8_640_000_000_000_000

/** Emits the events of a run between its codons. Reads the state, never changes it. */
export function createRunEvents(options: RunEventsOptions) {
  const { journal, recorder, clock } = options
  const unanswered: string[] = []

  /** A rollback comes after all that was asked for before it, and leaves nothing of that to be answered. */
  const nextAnswered = (type: JournaledType): string | undefined =>
    type === 'rollback.started' ? unanswered.splice(0).at(-1) : unanswered.shift()

  const emit = ({ type, data, origin }: NewEvent): void => {
    const commandId = answers.has(type) ? nextAnswered(type) : undefined
    journal.append(type, data, { commandId, origin })
  }

  return {
    emit,
    /** The next event that can answer a command carries this id. */
    answer(commandId: string): void {
      unanswered.push(commandId)
    },
    idle(reason: EventData<'server.idle'>['reason'], message: string): void {
      emit({ type: 'server.idle', data: { reason, message } })
    },
    warning(message: string): void {
      emit({ type: 'error', data: { message, fatal: false, severity: 'warning' } })
    },
    /** What a command asked for was begun and could not be done. */
    failure(message: string): void {
      emit({ type: 'error', data: { message, fatal: false, severity: 'operation', code: 'INTERNAL_ERROR' } })
    },
    runEnd(summary: EventData<'run.completed'> | undefined): void {
      if (summary) emit({ type: 'run.completed', data: summary })
    },
    /** That `attempt` will begin after a wait. */
    retry({ runtimeId: codonId, codon }: PlannedCodonAt, attempt: number, delayMs: number): void {
      const last = currentRun(recorder.state)?.codons.at(-1)
      const resumeAt = new Date(Math.min(clock.now().getTime() + delayMs, endOfTime)).toISOString()
      const failureReason =
        last?.status === 'failed' ? last.failureReason : ({ type: 'unknown', retriable: true } as const)
      const { maxAttempts } = codon.retry
      emit({
        type: 'codon.retrying',
        data: { codonId, attempt, maxAttempts, delayMs, resumeAt, failureReason },
      })
      if (delayMs <= parkedAfterMs) return
      const reason = failureReason.message ?? failureReason.type
      emit({ type: 'run.parked', data: { codonId, until: resumeAt, reason } })
    },
    /** Loops that end because nothing is left for them, where no codon was stopped at that limit. */
    loopsLeft(left: readonly LeftLoop[] = []): void {
      for (const { at, exceeded } of left) emitExceeded(emit, exceeded, at.runtimeId)
    },
    iteration(at: PlannedCodonAt): void {
      const end = iterationEnd(options, at)
      if (!end) return
      const { began, ...data } = end
      const duration = Math.max(0, clock.now().getTime() - began)
      emit({ type: 'loop.iteration.completed', data: { ...data, duration } })
    },
  }
}

export type RunEvents = ReturnType<typeof createRunEvents>

/** Undefined while the iteration goes on, also when the plan has not passed its last codon yet. */
function iterationEnd({ plan, recorder, times = () => ({}) }: RunEventsOptions, at: PlannedCodonAt) {
  const { state } = recorder
  const { loop, position } = at
  const run = currentRun(state)
  const record = run?.codons.at(-1)
  if (!loop || !record || !isPassed(record, at) || wasInterrupted(record)) return undefined
  const isDry = isLoopDry(plan, at, ledgerOf(state, times()))
  if (!endsIteration(plan, position, { leaveLoop: isDry || leavesLoop(plan, position, record) }))
    return undefined
  const { iteration } = position
  const own = lineageOf(state, run).filter(
    ({ loopContext }) => loopContext?.loopId === loop.id && loopContext.iteration === iteration,
  )
  return {
    loopId: loop.id,
    iteration,
    cost: own.reduce((sum, codon) => sum + codon.cost, 0),
    began: Date.parse(own[0]?.startTime ?? record.startTime),
    last: isDry || codonAt(plan, following(plan, record))?.loop?.id !== loop.id,
  }
}
