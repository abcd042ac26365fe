import { type CodonExecution, type EventData, parseTransition, type Transition } from '@weave/protocol'
import { durationOf, iterationOf, sumOf } from './codon-sums.ts'
import { appended } from './ring.ts'
import { withTransition } from './view-machine.ts'
import { type Checkpoint, type LoopProgress, type Plan, type View, viewCaps } from './view-model.ts'

/** What a change of state does to the picture, besides the state itself. */
export function afterTransition(
  view: View,
  data: EventData<'state.transition'>,
  time: string,
): Partial<View> {
  const transition = parseTransition(data.transition)
  if ('problem' in transition) return { machine: { ...view.machine, complete: false } }
  const { totalCost, currentRunCost, currentRunId } = data.resultingState
  const machine = withTransition(view.machine, transition, data.resultingState)
  const checkpoint = checkpointOf(transition, currentRunId ?? undefined, time)
  return {
    machine,
    totals: { ...view.totals, cost: totalCost, runCost: currentRunCost },
    ...(checkpoint
      ? { checkpoints: appended(view.checkpoints, checkpoint, viewCaps.checkpoints) }
      : undefined),
    ...(endsWaiting(transition) ? { waiting: undefined } : undefined),
    ...(transition.type === 'CodonStarted' ? { idle: undefined } : undefined),
    ...(transition.type === 'RunStarted'
      ? { summary: undefined, idle: undefined, loops: keptLoops(view, machine.settled) }
      : undefined),
  }
}

function checkpointOf(
  transition: Transition,
  runId: string | undefined,
  time: string,
): Checkpoint | undefined {
  if (transition.type === 'InitialCheckpointSet') {
    return { sha: transition.data.sha, type: 'initial', runId, codonId: undefined, time }
  }
  if (transition.type !== 'CheckpointCreated') return undefined
  const { sha, checkpointType: type, codonId } = transition.data
  return { sha, type, runId, codonId, time }
}

function endsWaiting({ type, data }: Transition): boolean {
  if (type === 'CodonTransitioned') return data.to === 'skipped'
  return type === 'CodonStarted' || type === 'CostsUpdated' || type.startsWith('Run')
}

/** Loops as they were at the point from which a new run goes on: iterations behind it count, later ones do not. */
function keptLoops(view: View, settled: readonly CodonExecution[]): View['loops'] {
  const kept: Record<string, LoopProgress> = {}
  for (const [loopId, progress] of Object.entries(view.loops)) {
    const own = settled.filter(codon => codon.loopContext?.loopId === loopId)
    const completed = Math.min(progress.completed, completedIn(own, codonIdsOf(view.plan, loopId)))
    if (completed === progress.completed) kept[loopId] = progress
    else if (completed > 0) kept[loopId] = { completed, ...spentBefore(own, completed) }
  }
  return kept
}

/** How many iterations these records complete: all before the newest, and that one if each codon of the loop is in it. */
function completedIn(own: readonly CodonExecution[], codonIds: readonly string[]): number {
  const newest = Math.max(-1, ...own.map(iterationOf))
  const isWhole = codonIds.every(id => own.some(codon => codon.codonId === `${id}#${newest}`))
  return isWhole ? newest + 1 : Math.max(0, newest)
}

function codonIdsOf(plan: Plan | undefined, loopId: string): readonly string[] {
  const loop = plan?.outline.find(item => item.id === loopId)
  return loop && 'codons' in loop ? loop.codons.map(codon => codon.id) : []
}

function spentBefore(
  own: readonly CodonExecution[],
  completed: number,
): Pick<LoopProgress, 'cost' | 'durationMs'> {
  const done = own.filter(codon => iterationOf(codon) < completed)
  return { cost: sumOf(done, codon => codon.cost), durationMs: sumOf(done, durationOf) }
}
