import { currentRun, type EventData, isLive, liveCodon } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import { endsIteration, type Plan, type Step, stepAt } from '../plan/index.ts'
import { decide } from './decide.ts'
import type { Told } from './narrate.ts'
import type { Ports } from './ports.ts'
import type { Recorder } from './record.ts'
import { runSummary } from './run-record.ts'
import { following, leavesLoop, threadOf } from './thread.ts'

export interface AnnouncerOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly ports: Ports
  readonly clock: Clock
}

/** What the runner says between codons. Reads the state, never changes it. */
export function createAnnouncer({ plan, journal, recorder, ports, clock }: AnnouncerOptions) {
  const began = clock.monotonic()
  let snapshotSeq = 0
  let answering: string | undefined

  /** The first codon event after a command answers it. */
  const tell = ({ type, data }: Told): void => {
    const answers = answering !== undefined && (type === 'codon.started' || type === 'codon.completed')
    journal.append(type, data, answers ? { commandId: answering } : {})
    if (answers) answering = undefined
  }

  const snapshot = async (isRollingBack: boolean): Promise<EventData<'state.snapshot'>> => {
    const { state } = recorder
    const live = liveCodon(state)
    return {
      ...(live && { currentCodon: live }),
      completedCodons: threadOf(state, currentRun(state)).filter(codon => !isLive(codon)),
      fileTree: await ports.fileTree(),
      totalCost: state.totalCost,
      totalTime: clock.monotonic() - began,
      isRollingBack,
    }
  }

  return {
    tell,
    snapshot,
    answer(commandId: string): void {
      answering = commandId
    },
    idle(reason: EventData<'server.idle'>['reason'], message: string): void {
      tell({ type: 'server.idle', data: { reason, message } })
    },
    runEnd(): void {
      const run = currentRun(recorder.state)
      const duration = clock.monotonic() - began
      if (run) tell({ type: 'run.completed', data: runSummary(run, duration, recorder.state.totalCost) })
    },
    iteration(step: Step): void {
      const end = iterationEnd(plan, recorder, step)
      if (!end) return
      const { began: since, ...data } = end
      const duration = Math.max(0, clock.now().getTime() - since)
      tell({ type: 'loop.iteration.completed', data: { ...data, duration } })
    },
    /** Says nothing when nothing was said since the last one. */
    async snapshotIfNew(): Promise<void> {
      if (journal.lastSeq === snapshotSeq || journal.failure) return
      const data = await snapshot(false)
      if (!journal.failure) snapshotSeq = journal.append('state.snapshot', data).seq
    },
  }
}

export type Announcer = ReturnType<typeof createAnnouncer>

/** Undefined while the iteration goes on, also when its last codon will be tried again. */
function iterationEnd(plan: Plan, { state }: Recorder, { loop, position }: Step) {
  const run = currentRun(state)
  const record = run?.codons.at(-1)
  if (!loop || !record || isLive(record) || decide(plan, state).kind === 'retry') return undefined
  if (!endsIteration(plan, position, { leaveLoop: leavesLoop(plan, position, record) })) return undefined
  const { iteration } = position
  const own = (run?.codons ?? []).filter(
    ({ loopContext }) => loopContext?.loopId === loop.id && loopContext.iteration === iteration,
  )
  return {
    loopId: loop.id,
    iteration,
    cost: own.reduce((sum, codon) => sum + codon.cost, 0),
    began: Date.parse(own[0]?.startTime ?? record.startTime),
    last: stepAt(plan, following(plan, record))?.loop?.id !== loop.id,
  }
}
