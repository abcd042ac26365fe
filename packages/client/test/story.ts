import {
  currentRun,
  type EventData,
  emptyState,
  isLive,
  liveCodon,
  type ProcessExit,
  reduce,
  type ServerEvent,
  summarize,
  type Transition,
  type WeaveState,
} from '@weave/protocol'
import { numbered, timeAt, tokens } from './event-samples.ts'

const outline: EventData<'run.started'>['outline'] = [
  { id: 'draft', name: 'Draft', model: 'sonnet' },
  {
    id: 'polish',
    name: 'Polish',
    limit: 3,
    codons: [
      { id: 'review', name: 'Review', model: 'haiku' },
      { id: 'fix', name: 'Fix', model: 'sonnet' },
    ],
  },
  { id: 'final', name: 'Final', model: 'opus' },
]

const names: Record<string, string> = { draft: 'Draft', review: 'Review', fix: 'Fix', final: 'Final' }
const success: ProcessExit = { type: 'success' }

/**
 * Tells the events of a run as a server would: every transition goes through the protocol's `reduce`, so that what is
 * told is legal and `state` is the truth to compare with.
 */
export function story() {
  const number = numbered()
  const events: ServerEvent[] = []
  let state: WeaveState = emptyState
  let clock = 0
  const now = (): string => {
    clock += 1
    return timeAt(clock)
  }

  const tell: typeof number = (type, data) => {
    const event = number(type, data)
    events.push(event as ServerEvent)
    return event
  }
  const move = (transition: Transition): void => {
    const result = reduce(state, transition)
    if (!result.ok) throw new Error(`the story is not legal: ${result.reason}`)
    state = result.state
    const codonId = 'codonId' in transition.data ? { codonId: transition.data.codonId } : {}
    tell('state.transition', {
      transitionType: transition.type,
      ...(codonId as { codonId?: string }),
      transition: { type: transition.type, data: { ...transition.data } },
      resultingState: summarize(state),
    })
  }

  const told = {
    events,
    get state() {
      return state
    },
    tell,
    move,
    startRun(runId: string, startedFrom: EventData<'run.started'>['startedFrom'] = { type: 'fresh' }): void {
      const run = { runId, startTime: now(), gitBranch: `run-${runId}`, startedFrom }
      move({ type: 'RunStarted', data: run })
      tell('run.started', { ...run, hankName: 'A hank', outline })
    },
    endRun(outcome: 'completed' | 'stopped' = 'completed'): void {
      move({ type: 'RunCompleted', data: { runId: state.currentRunId ?? '', endTime: now(), outcome } })
    },
    /** Up to `running`. */
    start(codonId: string, attempt = 1): void {
      const [id = '', iteration] = codonId.split('#')
      const loopContext =
        iteration === undefined
          ? {}
          : { loopContext: { loopId: 'polish', iteration: Number(iteration), codonIndexInLoop: 0 } }
      const data = { codonId, codonName: names[id] ?? id, attempt, model: 'sonnet', startTime: now() }
      move({ type: 'CodonStarted', data: { ...data, ...loopContext } })
      move({ type: 'CodonTransitioned', data: { codonId, to: 'starting' } })
      move({ type: 'CodonTransitioned', data: { codonId, to: 'initializing' } })
      move({ type: 'CodonTransitioned', data: { codonId, to: 'running', sessionId: `s-${codonId}` } })
      tell('codon.started', { ...data, sessionId: `s-${codonId}` })
    },
    spend(codonId: string, cost: number): void {
      move({ type: 'CostsIncremented', data: { codonId, cost, tokens } })
      tell('token.usage', { codonId, ...tokens, totalCost: cost })
    },
    complete(codonId: string): string {
      const sha = `${codonId}-done`
      move({ type: 'CodonTransitioned', data: { codonId, to: 'completing-sentinels' } })
      move({ type: 'CheckpointCreated', data: { codonId, checkpointType: 'completed', sha } })
      move({
        type: 'CodonTransitioned',
        data: { codonId, to: 'completed', endTime: now(), exitStatus: success },
      })
      tell('codon.completed', { codonId, success: true, cost: 0, duration: 1000, exitStatus: success })
      return sha
    },
    fail(codonId: string, message = 'broken'): void {
      const failureReason = { type: 'api-error', retriable: true, message } as const
      const exitStatus: ProcessExit = { type: 'error', code: 1 }
      move({
        type: 'CodonTransitioned',
        data: { codonId, to: 'failed', endTime: now(), exitStatus, failureReason },
      })
      tell('codon.completed', { codonId, success: false, cost: 0, duration: 1000, exitStatus, failureReason })
    },
    run(codonId: string, cost = 0.01): string {
      told.start(codonId)
      told.spend(codonId, cost)
      return told.complete(codonId)
    },
    snapshot(isRollingBack = false): void {
      const codons = currentRun(state)?.codons ?? []
      const current = liveCodon(state)
      tell('state.snapshot', {
        ...(current ? { currentCodon: current } : {}),
        completedCodons: codons.filter(codon => !isLive(codon)),
        fileTree: [],
        totalCost: state.totalCost,
        totalTime: 5000,
        isRollingBack,
      })
    },
  }
  return told
}

export type Story = ReturnType<typeof story>
