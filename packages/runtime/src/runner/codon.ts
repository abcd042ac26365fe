import type { BudgetBreach, EventData, FailureReason, ProcessExit } from '@weave/protocol'
import type { Silence } from '../harness/index.ts'
import { messageOf } from '../kit/index.ts'
import { endsLoop } from '../plan/index.ts'
import { type AgentEnd, runAgent } from './agent.ts'
import { type CodonRun, type CodonSentinels, createCodonSentinels } from './codon-run.ts'
import type { Surroundings } from './effects.ts'
import type { Stopper, StopReason } from './stop.ts'

/** How a codon came out. */
export interface Outcome {
  /** What the provider asked for when it failed. */
  readonly retryAfterMs?: number
  /** The event for clients; the machine emits it once it is ready for their next command. */
  readonly completed: EventData<'codon.completed'>
}

/**
 * One attempt at a codon as a straight line of phases: rig, prompt, agent, outputs, archive, checkpoint. Touches no
 * state: it reports and returns how it ended. Never rejects; a fault of our own ends the codon as failed.
 */
export async function runCodon(task: CodonRun): Promise<Outcome> {
  const { at, attempt, clock, stopper, record } = task
  const codonId = at.runtimeId
  const startTime = clock.now().toISOString()
  const began = clock.monotonic()
  record({
    type: 'CodonStarted',
    data: { codonId, codonName: at.codon.name, attempt, startTime, ...origin(task) },
  })
  const sentinels = createCodonSentinels()
  const ending = await phases(task, { startTime, sentinels }).catch((error: unknown) => fault(error))
  const final = finalEnding(ending, stopper)
  const completed = completedOf(task, final, clock.monotonic() - began)
  await sentinels.finish(
    stopper.reason?.kind === 'shutdown' ? { reason: 'shutdown' } : { reason: 'codon-complete', completed },
  )
  return finish(task, final, { startTime, began })
}

interface Course {
  readonly startTime: string
  readonly sentinels: CodonSentinels
}

/** What the phases came to. */
interface Ending {
  readonly status: 'completed' | 'failed' | 'skipped'
  readonly exit: ProcessExit
  readonly failure?: FailureReason
  readonly contextExceeded?: boolean
  readonly budgetExceeded?: BudgetBreach
  readonly retryAfterMs?: number
}

async function phases(task: CodonRun, { startTime, sentinels }: Course): Promise<Ending> {
  const { at, effects, record, stopper } = task
  const codonId = at.runtimeId
  if (stopper.signal.aborted) return failed('stopped', {})
  const surroundings = surroundingsOf(task)
  effects.agent.harnessFor(at.codon.model).prepare?.(effects.agent.surroundingsOf(at))
  await effects.files.watch(at.codon.checkpointedFiles)
  await effects.checkpoints.beforeCodon(at)
  const rig = task.withoutRig ? { ok: true as const } : await effects.codon.runRig(at, surroundings)
  if (!rig.ok) return failed(rig.message, { exit: rig.exit, retriable: rig.retriable })
  if (at.codon.rig.length > 0 && !task.withoutRig) await checkpoint(task, 'rig-setup')
  if (stopper.signal.aborted) return failed('stopped', {})

  record({ type: 'CodonTransitioned', data: { codonId, to: 'starting' } })
  const prompt = await effects.agent.promptOf(at)
  if (!prompt.ok) return failed(prompt.message, {})
  const warn = (message: string): void =>
    task.emit({ type: 'error', data: { message, codon: codonId, fatal: false, severity: 'warning' } })
  for (const message of prompt.warnings ?? []) warn(message)
  const lost = lostSession(task)
  if (lost !== undefined) return failed(lost, {})
  if (startsFresh(task)) warn(firstStartsFresh)
  if (stopper.signal.aborted) return failed('stopped', {})

  const observed = await sentinels.load(task, startTime)
  if (observed) return { status: 'failed', exit: { type: 'error', code: 1 }, failure: observed }
  if (stopper.signal.aborted) return failed('stopped', {})

  record({ type: 'CodonTransitioned', data: { codonId, to: 'initializing' } })
  const end = await runAgent(
    { ...task, begun: sessionId => begin(task, { sessionId, startTime, metadata: prompt.metadata }) },
    specOf(task, prompt),
  )
  const agent = completedByBudget(stopper.reason) ?? agentEnding(task, end)
  if (agent.status !== 'completed') return agent

  record({ type: 'CodonTransitioned', data: { codonId, to: 'completing-sentinels' } })
  const outputs = await effects.codon.copyOutputs(at, {
    ...surroundingsOf(task, { check: true }),
    signal: agent.budgetExceeded ? stopper.afterBudget : stopper.signal,
    lastCopied: 'lastCopied' in rig ? rig.lastCopied : undefined,
  })
  const spent = agent.budgetExceeded && { budgetExceeded: agent.budgetExceeded }
  if (!outputs.ok) return { ...failed(outputs.message, {}), ...spent }
  const isFull = agent.contextExceeded === true && at.loop?.limit === null
  const archived = await archives(task, isFull || task.endsLoopDry())
  return archived === undefined ? agent : { ...failed(archived, {}), ...spent }
}

/** Undefined when all went well. */
async function archives(
  { plan, at, effects, emit }: CodonRun,
  leaveLoop: boolean,
): Promise<string | undefined> {
  const { codon, loop, position, runtimeId } = at
  const owners = [
    { id: runtimeId, patterns: codon.archiveOnSuccess },
    ...(loop && endsLoop(plan, position, { leaveLoop })
      ? [{ id: loop.id, patterns: loop.archiveOnSuccess }]
      : []),
  ]
  for (const { id, patterns } of owners.filter(owner => owner.patterns.length > 0)) {
    const moved = await effects.codon.archive(id, patterns, at)
    if (!moved.ok) return moved.message
    emit({ type: 'archive.completed', data: { ownerId: id, files: moved.files } })
  }
  return undefined
}

/** A full context completes the codon where the hank waits for it: in an open-ended loop, or with `exhaustWithPrompt`. */
function agentEnding({ at }: CodonRun, end: AgentEnd): Ending {
  const { ok, exit, failure, contextFull, retryAfterMs } = end
  if (ok) return { status: 'completed', exit, ...(contextFull && { contextExceeded: true }) }
  const wanted = at.loop?.limit === null || at.codon.exhaustWithPrompt !== undefined
  if (contextFull && wanted) return { status: 'completed', exit: { type: 'success' }, contextExceeded: true }
  return {
    status: 'failed',
    exit,
    ...(failure && { failure }),
    ...(contextFull && { contextExceeded: true }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

interface Begun {
  readonly startTime: string
  /** The same moment on the clock that does not jump. */
  readonly began: number
}

async function finish(task: CodonRun, ending: Ending, { startTime, began }: Begun): Promise<Outcome> {
  const { at, effects, clock, record } = task
  const codonId = at.runtimeId
  const { status, exit, failure, contextExceeded, budgetExceeded, retryAfterMs } = ending
  await checkpoint(task, status === 'failed' ? 'error' : status)
  // Not what the wall clock says now: it may have jumped, and the ledger takes the time of a codon from these two.
  const endTime = new Date(Date.parse(startTime) + (clock.monotonic() - began)).toISOString()
  const full = { ...(contextExceeded && { contextExceeded }), ...(budgetExceeded && { budgetExceeded }) }
  const failureReason = failure ?? unexplained
  if (status === 'completed')
    record({ type: 'CodonTransitioned', data: { codonId, to: status, endTime, exitStatus: exit, ...full } })
  else if (status === 'skipped')
    record({ type: 'CodonTransitioned', data: { codonId, to: status, endTime, exitStatus: exit } })
  else
    record({
      type: 'CodonTransitioned',
      data: { codonId, to: status, endTime, exitStatus: exit, failureReason, ...full },
    })
  await effects.codon.afterCodon(at, status === 'completed')
  const completed = completedOf(task, ending, clock.monotonic() - began)
  return { completed, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

function completedOf(
  { at, costSoFar }: CodonRun,
  { status, exit, failure }: Ending,
  duration: number,
): EventData<'codon.completed'> {
  return {
    codonId: at.runtimeId,
    success: status === 'completed',
    cost: costSoFar(),
    duration,
    exitStatus: exit,
    ...(status === 'failed' && { failureReason: failure ?? unexplained }),
  }
}

const unexplained: FailureReason = {
  type: 'unknown',
  retriable: true,
  message: 'The agent ended without a reason.',
}

async function checkpoint(
  { at, effects, record }: CodonRun,
  type: 'rig-setup' | 'completed' | 'error' | 'skipped',
): Promise<void> {
  const statuses = {
    'rig-setup': 'preparing',
    completed: 'completed',
    error: 'failed',
    skipped: 'skipped',
  } as const
  const sha = await effects.checkpoints.checkpoint(type, at, statuses[type])
  if (sha !== undefined)
    record({ type: 'CheckpointCreated', data: { codonId: at.runtimeId, checkpointType: type, sha } })
}

interface Beginning {
  readonly sessionId: string
  readonly startTime: string
  readonly metadata: EventData<'codon.started'>['promptMetadata']
}

function begin(
  { at, previousSessionId, record, emit, begun }: CodonRun,
  { sessionId, startTime, metadata }: Beginning,
): void {
  const codonId = at.runtimeId
  record({ type: 'CodonTransitioned', data: { codonId, to: 'running', sessionId } })
  const { name, description } = at.codon
  emit({
    type: 'codon.started',
    data: {
      codonId,
      codonName: name,
      ...(description !== undefined && { codonDescription: description }),
      sessionId,
      ...(previousSessionId !== undefined && { previousSessionId }),
      startTime,
      ...(metadata && { promptMetadata: metadata }),
    },
  })
  begun(sessionId)
}

function origin({ at, previousSessionId }: CodonRun) {
  const { codon, loop, position } = at
  const inLoop = loop && {
    loopContext: { loopId: loop.id, iteration: position.iteration, codonIndexInLoop: position.index },
  }
  return {
    model: codon.model.id,
    ...inLoop,
    ...(previousSessionId !== undefined && { previousSessionId }),
  }
}

function specOf({ at, effects, previousSessionId }: CodonRun, prompt: ReadyPrompt) {
  return {
    ...effects.agent.surroundingsOf(at),
    prompt: prompt.prompt,
    ...(prompt.systemPrompt !== undefined && { systemPrompt: prompt.systemPrompt }),
    ...(prompt.exhaustWithPrompt !== undefined && { exhaustWithPrompt: prompt.exhaustWithPrompt }),
    ...(previousSessionId !== undefined && { previousSessionId }),
  }
}

interface ReadyPrompt {
  readonly prompt: string
  readonly systemPrompt?: string
  readonly exhaustWithPrompt?: string
}

/** A codon that continues must have something to continue from; only the very first may start fresh instead. */
function lostSession({ at, previousSessionId, isFirst }: CodonRun): string | undefined {
  if (at.codon.continuation === 'fresh' || previousSessionId !== undefined || isFirst) return undefined
  return 'There is no session to continue: no earlier codon of this run has one. Use "fresh", or roll back to a codon that has.'
}

const firstStartsFresh =
  'This codon continues the one before it, but it is the first: it starts a new session.'

function startsFresh({ at, previousSessionId }: CodonRun): boolean {
  return at.codon.continuation === 'continue-previous' && previousSessionId === undefined
}

/** `check`: its commands look at outputs; otherwise they are those of the rig. */
function surroundingsOf(
  { at, effects, stopper, emit }: CodonRun,
  kind: { readonly check?: true } = {},
): Surroundings {
  return {
    signal: stopper.signal,
    env: effects.agent.surroundingsOf(at).env,
    onOutput: (operation, stream, text) =>
      emit({ type: 'rig.output', data: { codonId: at.runtimeId, operation, stream, text, ...kind } }),
  }
}

function failed(
  message: string,
  {
    exit = { type: 'error', code: 1 },
    retriable = false,
  }: { readonly exit?: ProcessExit | undefined; readonly retriable?: boolean },
): Ending {
  return { status: 'failed', exit, failure: { type: 'unknown', retriable, message } }
}

function fault(error: unknown): Ending {
  return failed(`A fault inside weave: ${messageOf(error)}`, {})
}

/** A budget that completes: what the agent has done by then is what the codon was to do. */
function completedByBudget(reason: StopReason | undefined): Ending | undefined {
  if (reason?.kind !== 'budget' || reason.exceeded.onExceeded === 'fail') return undefined
  return { status: 'completed', exit: { type: 'success' }, budgetExceeded: reason.exceeded.breach }
}

/**
 * A stop decides how an attempt that did not complete has ended. Once a budget has completed the agent's work only a stop
 * that came after it counts: the budget itself stopped nothing of what follows.
 */
function finalEnding(ending: Ending, { reason, laterReason }: Stopper): Ending {
  if (ending.status === 'completed') return ending
  const stop = ending.budgetExceeded ? laterReason : reason
  return stop ? stoppedBy(stop) : ending
}

const killed: ProcessExit = { type: 'killed', signal: 'SIGTERM' }

/** A stop determines how the codon ends, whatever the agent reported when it was stopped. */
function stoppedBy(reason: StopReason): Ending {
  const end = (failure: FailureReason): Ending => ({ status: 'failed', exit: killed, failure })
  switch (reason.kind) {
    case 'skip':
      return { status: 'skipped', exit: killed }
    case 'force-stop':
      return end({
        type: 'unknown',
        retriable: false,
        message: `Stopped by force${reason.reason ? `: ${reason.reason}` : ''}.`,
      })
    case 'shutdown':
      return end({ type: 'unknown', retriable: true, message: 'The server was shut down.' })
    case 'rollback':
      return end({ type: 'unknown', retriable: true, message: 'Stopped by a rollback.' })
    case 'budget': {
      const { breach: budgetExceeded, message } = reason.exceeded
      return (
        completedByBudget(reason) ?? {
          ...end({ type: 'unknown', retriable: false, message }),
          budgetExceeded,
        }
      )
    }
    case 'idle':
      return end({ type: 'timeout', retriable: true, message: aboutSilence(reason) })
  }
}

function aboutSilence({ silentMs, isLaunch }: Silence): string {
  const seconds = Math.round(silentMs / 1000)
  return isLaunch
    ? `The agent did not start within ${seconds} s. Look at the load of this machine, and run: weave doctor`
    : `No sign of life from the agent for ${seconds} s.`
}
