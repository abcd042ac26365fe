import type { EventData, FailureReason, ProcessExit } from '@weave/protocol'
import { endsLoop } from '../plan/index.ts'
import { type AgentEnd, runAgent } from './agent.ts'
import type { CodonTask } from './codon-task.ts'
import type { Surroundings } from './ports.ts'
import type { StopReason } from './stop.ts'

/** How a codon came out. */
export interface Outcome {
  /** What the provider asked for when it failed. */
  readonly retryAfterMs?: number
  /** What clients will hear; told by the machine once it is ready for their next command. */
  readonly completed: EventData<'codon.completed'>
}

/**
 * One attempt at a codon as a straight line of phases: rig, prompt, agent, outputs, archive, checkpoint. Touches no
 * state: it reports and returns how it ended. Never rejects; a fault of our own ends the codon as failed.
 */
export async function runCodon(task: CodonTask): Promise<Outcome> {
  const { step, attempt, clock, stopper, record } = task
  const codonId = step.runtimeId
  const startTime = clock.now().toISOString()
  const began = clock.monotonic()
  record({
    type: 'CodonStarted',
    data: { codonId, codonName: step.codon.name, attempt, startTime, ...origin(task) },
  })
  const ending = await phases(task, startTime).catch((error: unknown) => fault(error))
  const final = stopper.reason && ending.status !== 'completed' ? stoppedBy(stopper.reason) : ending
  return finish(task, final, began)
}

/** What the phases came to. */
interface Ending {
  readonly status: 'completed' | 'failed' | 'skipped'
  readonly exit: ProcessExit
  readonly failure?: FailureReason
  readonly contextExceeded?: boolean
  readonly retryAfterMs?: number
}

async function phases(task: CodonTask, startTime: string): Promise<Ending> {
  const { step, ports, record, stopper } = task
  const codonId = step.runtimeId
  if (stopper.signal.aborted) return failed('stopped', {})
  const surroundings = surroundingsOf(task)
  await ports.watch(step.codon.checkpointedFiles)
  const rig = task.withoutRig ? { ok: true as const } : await ports.runRig(step, surroundings)
  if (!rig.ok) return failed(rig.message, { exit: rig.exit, retriable: rig.retriable })
  if (step.codon.rig.length > 0 && !task.withoutRig) await checkpoint(task, 'rig-setup')
  if (stopper.signal.aborted) return failed('stopped', {})

  record({ type: 'CodonTransitioned', data: { codonId, to: 'starting' } })
  const prompt = await ports.promptOf(step)
  if (!prompt.ok) return failed(prompt.message, {})
  const warn = (message: string): void =>
    task.tell({ type: 'error', data: { message, codon: codonId, fatal: false, severity: 'warning' } })
  for (const message of prompt.warnings ?? []) warn(message)
  const lost = lostSession(task)
  if (lost !== undefined) return failed(lost, {})
  if (startsFresh(task)) warn(firstStartsFresh)
  if (stopper.signal.aborted) return failed('stopped', {})

  record({ type: 'CodonTransitioned', data: { codonId, to: 'initializing' } })
  const end = await runAgent(
    { ...task, begun: sessionId => begin(task, { sessionId, startTime, metadata: prompt.metadata }) },
    specOf(task, prompt),
  )
  const agent = agentEnding(task, end)
  if (agent.status !== 'completed') return agent

  record({ type: 'CodonTransitioned', data: { codonId, to: 'completing-sentinels' } })
  const outputs = await ports.copyOutputs(step, {
    ...surroundings,
    lastCopied: 'lastCopied' in rig ? rig.lastCopied : undefined,
  })
  if (!outputs.ok) return failed(outputs.message, {})
  const archived = await archives(task, agent.contextExceeded === true)
  return archived === undefined ? agent : failed(archived, {})
}

/** Undefined when all went well. */
async function archives(
  { plan, step, ports, tell }: CodonTask,
  contextExceeded: boolean,
): Promise<string | undefined> {
  const { codon, loop, position, runtimeId } = step
  const leaveLoop = contextExceeded && loop?.limit === null
  const owners = [
    { id: runtimeId, patterns: codon.archiveOnSuccess },
    ...(loop && endsLoop(plan, position, { leaveLoop })
      ? [{ id: loop.id, patterns: loop.archiveOnSuccess }]
      : []),
  ]
  for (const { id, patterns } of owners.filter(owner => owner.patterns.length > 0)) {
    const moved = await ports.archive(id, patterns, step)
    if (!moved.ok) return moved.message
    tell({ type: 'archive.completed', data: { ownerId: id, files: moved.files } })
  }
  return undefined
}

/** What the end of the agent means for the codon (decisions 8): a full context is a good end where it is waited for. */
function agentEnding({ step }: CodonTask, end: AgentEnd): Ending {
  const { ok, exit, failure, contextFull, retryAfterMs } = end
  if (ok) return { status: 'completed', exit, ...(contextFull && { contextExceeded: true }) }
  const wanted = step.loop?.limit === null || step.codon.exhaustWithPrompt !== undefined
  if (contextFull && wanted) return { status: 'completed', exit: { type: 'success' }, contextExceeded: true }
  return {
    status: 'failed',
    exit,
    ...(failure && { failure }),
    ...(contextFull && { contextExceeded: true }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

async function finish(task: CodonTask, ending: Ending, began: number): Promise<Outcome> {
  const { step, ports, clock, record } = task
  const codonId = step.runtimeId
  const { status, exit, failure, contextExceeded, retryAfterMs } = ending
  await ports.settleFiles()
  await checkpoint(task, status === 'failed' ? 'error' : status)
  const endTime = clock.now().toISOString()
  const full = contextExceeded ? { contextExceeded } : {}
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
  const completed: EventData<'codon.completed'> = {
    codonId,
    success: status === 'completed',
    cost: task.costSoFar(),
    duration: clock.monotonic() - began,
    exitStatus: exit,
    ...(status === 'failed' && { failureReason }),
  }
  return { completed, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

const unexplained: FailureReason = {
  type: 'unknown',
  retriable: true,
  message: 'The agent ended without a reason.',
}

async function checkpoint(
  task: CodonTask,
  type: 'rig-setup' | 'completed' | 'error' | 'skipped',
): Promise<void> {
  const { step, ports, record } = task
  const statuses = {
    'rig-setup': 'preparing',
    completed: 'completed',
    error: 'failed',
    skipped: 'skipped',
  } as const
  const sha = await ports.checkpoint(type, step, statuses[type])
  if (sha !== undefined)
    record({ type: 'CheckpointCreated', data: { codonId: step.runtimeId, checkpointType: type, sha } })
}

interface Beginning {
  readonly sessionId: string
  readonly startTime: string
  readonly metadata: EventData<'codon.started'>['promptMetadata']
}

function begin(
  { step, previousSessionId, record, tell, begun }: CodonTask,
  { sessionId, startTime, metadata }: Beginning,
): void {
  const codonId = step.runtimeId
  record({ type: 'CodonTransitioned', data: { codonId, to: 'running', sessionId } })
  const { name, description } = step.codon
  tell({
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

function origin({ step, previousSessionId }: CodonTask) {
  const { codon, loop, position } = step
  const inLoop = loop && {
    loopContext: { loopId: loop.id, iteration: position.iteration, codonIndexInLoop: position.index },
  }
  return {
    model: codon.model.id,
    ...inLoop,
    ...(previousSessionId !== undefined && { previousSessionId }),
  }
}

function specOf({ step, ports, previousSessionId }: CodonTask, prompt: ReadyPrompt) {
  const { codon } = step
  return {
    codonId: step.runtimeId,
    model: codon.model.id,
    provider: codon.model.provider,
    prompt: prompt.prompt,
    ...(prompt.systemPrompt !== undefined && { systemPrompt: prompt.systemPrompt }),
    ...(prompt.exhaustWithPrompt !== undefined && { exhaustWithPrompt: prompt.exhaustWithPrompt }),
    ...(previousSessionId !== undefined && { previousSessionId }),
    cwd: ports.agentRoot,
    env: ports.environmentOf(step),
    autoCompact: codon.autoCompact,
  }
}

interface ReadyPrompt {
  readonly prompt: string
  readonly systemPrompt?: string
  readonly exhaustWithPrompt?: string
}

/** A codon that continues must have something to continue from; only the very first may start fresh instead. */
function lostSession({ step, previousSessionId, isFirst }: CodonTask): string | undefined {
  if (step.codon.continuation === 'fresh' || previousSessionId !== undefined || isFirst) return undefined
  return 'There is no session to continue: no earlier codon of this run has one. Use "fresh", or roll back to a codon that has.'
}

const firstStartsFresh =
  'This codon continues the one before it, but it is the first: it starts a new session.'

function startsFresh({ step, previousSessionId }: CodonTask): boolean {
  return step.codon.continuation === 'continue-previous' && previousSessionId === undefined
}

function surroundingsOf({ step, ports, stopper, tell }: CodonTask): Surroundings {
  return {
    signal: stopper.signal,
    env: ports.environmentOf(step),
    onOutput: (operation, stream, text) =>
      tell({ type: 'rig.output', data: { codonId: step.runtimeId, operation, stream, text } }),
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
  return failed(`A fault inside weave: ${error instanceof Error ? error.message : String(error)}`, {})
}

const killed: ProcessExit = { type: 'killed', signal: 'SIGTERM' }

/** A stop from outside says what the codon becomes, whatever the agent said when it was stopped. */
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
    case 'idle':
      return end({
        type: 'timeout',
        retriable: true,
        message: `No sign of life from the agent for ${Math.round(reason.silentMs / 1000)} s.`,
      })
  }
}
