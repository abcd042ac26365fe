import fc from 'fast-check'
import {
  type CodonExecution,
  type CodonStatus,
  emptyState,
  type LiveCodon,
  type Reduction,
  type RunState,
  reduce,
  type Transition,
  type TransitionData,
  type TransitionType,
  type WeaveState,
} from '../src/index.ts'
import { anyTransition, transitionData } from './transition-arbitraries.ts'
import {
  budgetBreach,
  failureReason,
  fields,
  isoTime,
  processExit,
  startedFrom,
  text,
} from './value-arbitraries.ts'

/**
 * Random walks through the states. Most steps are bent until they are legal where the walk stands, by rules that are
 * written here a second time and not taken from the reducer; the others stay as arbitrary as they came.
 */
interface Step {
  readonly wish: Transition
  readonly bend: boolean
  readonly pick: number
  readonly run: {
    readonly startTime: string
    readonly gitBranch: string
    readonly startedFrom: RunState['startedFrom']
  }
  readonly codon: TransitionData<'CodonStarted'>
  readonly end: Ending
}

interface Ending {
  readonly sessionId: string
  readonly endTime: string
  readonly exitStatus: Extract<CodonExecution, { status: 'completed' }>['exitStatus']
  readonly failureReason: Extract<CodonExecution, { status: 'failed' }>['failureReason']
  readonly budgetExceeded: NonNullable<Extract<CodonExecution, { status: 'failed' }>['budgetExceeded']>
}

/** One step as it was tried; `legal` is what the rules here say. */
interface Tried {
  readonly before: WeaveState
  readonly transition: Transition
  readonly legal: boolean
  readonly outcome: Reduction
}

const step: fc.Arbitrary<Step> = fc.record({
  wish: anyTransition,
  bend: fc.integer({ min: 0, max: 9 }).map(n => n > 1),
  pick: fc.nat({ max: 1_000 }),
  run: fields({ startTime: isoTime, gitBranch: text, startedFrom }),
  codon: transitionData.CodonStarted,
  end: fields({
    sessionId: text,
    endTime: isoTime,
    exitStatus: processExit,
    failureReason,
    budgetExceeded: budgetBreach,
  }),
})

export const steps = fc.array(step, { maxLength: 40, size: 'max' })

export function walk(path: readonly Step[]): readonly Tried[] {
  let before = emptyState
  return path.map(next => {
    const transition = next.bend ? bent(before, next) : next.wish
    const outcome = reduce(before, transition)
    const tried = { before, transition, legal: next.bend, outcome }
    if (outcome.ok) before = outcome.state
    return tried
  })
}

export function acceptedOf(tried: readonly Tried[]): readonly Transition[] {
  return tried.filter(({ outcome }) => outcome.ok).map(({ transition }) => transition)
}

export function lastState(tried: readonly Tried[]): WeaveState {
  const last = tried.at(-1)
  if (!last) return emptyState
  return last.outcome.ok ? last.outcome.state : last.before
}

/** Where a walk stands while a run is running. */
interface Place {
  readonly run: RunState
  readonly live: LiveCodon | undefined
  readonly step: Step
}

function bent(state: WeaveState, step: Step): Transition {
  const run = state.runs.at(-1)
  if (run?.status !== 'running') {
    return { type: 'RunStarted', data: { runId: `run ${state.runs.length}`, ...step.run } }
  }
  const last = run.codons.at(-1)
  return bend({ run, live: last && 'endTime' in last ? undefined : last, step }, step.wish)
}

function bend<T extends TransitionType>(place: Place, wish: Transition<T>): Transition {
  const rule: (place: Place, data: TransitionData<T>) => Transition = rules[wish.type]
  return rule(place, wish.data)
}

const rules: { readonly [T in TransitionType]: (place: Place, data: TransitionData<T>) => Transition } = {
  RunStarted: place => advanced(place),
  RunCompleted: (place, data) =>
    ending(place, { type: 'RunCompleted', data: { ...data, runId: place.run.runId } }),
  RunFailed: (place, data) => ending(place, { type: 'RunFailed', data: { ...data, runId: place.run.runId } }),
  RunCrashed: ({ run }, data) => ({ type: 'RunCrashed', data: { ...data, runId: run.runId } }),
  CodonStarted: place => advanced(place),
  CodonTransitioned: place => advanced(place),
  CostsUpdated: (place, data) =>
    onCodon(place, ({ codonId }) => ({ type: 'CostsUpdated', data: { ...data, codonId } })),
  CostsIncremented: (place, data) =>
    onCodon(place, ({ codonId }) => ({ type: 'CostsIncremented', data: { ...data, codonId } })),
  CodonFinalCostSet: (place, data) =>
    onCodon(place, ({ codonId }) => ({ type: 'CodonFinalCostSet', data: { ...data, codonId } })),
  AssistantMessageCountUpdated: (place, data) =>
    onCodon(place, codon => ({
      type: 'AssistantMessageCountUpdated',
      data: { codonId: codon.codonId, count: codon.assistantMessageCount + data.count },
    })),
  CheckpointCreated: (place, data) =>
    onCodon(place, ({ codonId, checkpoints }) =>
      checkpoints[data.checkpointType] === undefined
        ? { type: 'CheckpointCreated', data: { ...data, codonId } }
        : advanced(place),
    ),
  InitialCheckpointSet: (place, { sha }) =>
    place.run.codons.length > 0 || place.run.initialCheckpoint !== undefined
      ? advanced(place)
      : { type: 'InitialCheckpointSet', data: { runId: place.run.runId, sha } },
  SentinelStatesUpdated: (place, data) =>
    onCodon(place, ({ codonId }) => ({ type: 'SentinelStatesUpdated', data: { ...data, codonId } })),
}

/** The end of a run waits for its codon. */
function ending(place: Place, end: Transition): Transition {
  return place.live ? advanced(place) : end
}

/** Changes some codon of the run, in its newest record. */
function onCodon(place: Place, change: (newest: CodonExecution) => Transition): Transition {
  const { run, step } = place
  const chosen = run.codons[step.pick % Math.max(1, run.codons.length)]
  const newest = run.codons.findLast(codon => codon.codonId === chosen?.codonId)
  return newest ? change(newest) : started(place)
}

function advanced(place: Place): Transition {
  return place.live ? moved(place.live, place.step) : started(place)
}

function started({ run, step }: Place): Transition {
  const { codonId } = step.codon
  const earlier = run.codons.findLast(codon => codon.codonId === codonId)?.attempt ?? 0
  const attempt = step.pick % 2 === 0 ? 1 : earlier + 1
  return { type: 'CodonStarted', data: { ...step.codon, attempt } }
}

const ways: Readonly<Partial<Record<CodonStatus, readonly TransitionData<'CodonTransitioned'>['to'][]>>> = {
  preparing: ['starting', 'starting', 'starting', 'completed', 'failed', 'skipped'],
  starting: ['initializing', 'initializing', 'completing-sentinels', 'failed', 'skipped'],
  initializing: ['running', 'running', 'completing-sentinels', 'failed', 'skipped'],
  running: ['completing-sentinels', 'completing-sentinels', 'failed', 'skipped'],
  'completing-sentinels': ['completed', 'completed', 'failed', 'skipped'],
}

function moved({ codonId, status }: LiveCodon, { pick, end }: Step): Transition {
  const choices = ways[status] ?? []
  const to = choices[pick % choices.length] ?? 'failed'
  const { sessionId, endTime, exitStatus, failureReason, budgetExceeded } = end
  switch (to) {
    case 'starting':
    case 'completing-sentinels':
      return { type: 'CodonTransitioned', data: { codonId, to } }
    case 'initializing':
      return { type: 'CodonTransitioned', data: { codonId, to, ...(pick % 2 === 0 ? { sessionId } : {}) } }
    case 'running':
      return { type: 'CodonTransitioned', data: { codonId, to, sessionId } }
    case 'completed':
      return { type: 'CodonTransitioned', data: { codonId, to, endTime, exitStatus, budgetExceeded } }
    case 'failed':
      return { type: 'CodonTransitioned', data: { codonId, to, endTime, exitStatus, failureReason } }
    case 'skipped':
      return { type: 'CodonTransitioned', data: { codonId, to, endTime } }
  }
}
