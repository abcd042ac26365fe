import { randomUUID } from 'node:crypto'
import { type Clock, inTime, type Log } from '../../kit/index.ts'
import { claudeLaunchFailure } from '../available.ts'
import { type BadEnd, crashed, exitOf, failedWith, stopped } from '../failure.ts'
import type { HarnessEnd, HarnessEvent, HarnessSpec } from '../harness.ts'
import { type Agent, openAgent } from './agent.ts'
import type { AgentProcess } from './agent-process.ts'
import type { TurnFailure } from './classify-result.ts'
import { openTotals, settleCost } from './cost.ts'
import type { SdkModule } from './sdk.ts'
import { type Outcome, runTurns } from './turns.ts'
import type { Launch, WarmStart } from './warm-start.ts'

export interface Task {
  readonly spec: HarnessSpec
  readonly signal: AbortSignal
  readonly launch: Launch
  readonly warm: WarmStart
  readonly load: () => Promise<SdkModule>
  readonly clock: Clock
  readonly log: Log
}

/** One task from its first to its last event. See `Harness`. */
export async function* runAgent(task: Task): AsyncGenerator<HarnessEvent, void, void> {
  const { previousSessionId } = task.spec
  if (previousSessionId !== undefined && !isSessionId(previousSessionId)) {
    const message = `The session ${previousSessionId} to go on from is not there.`
    yield { type: 'ended', end: failedWith({ kind: 'lost-session', message }) }
    return
  }
  const opening = task.signal.aborted ? { ok: false as const, end: stopped } : await open(task)
  if (!opening.ok) {
    yield { type: 'ended', end: opening.end }
    return
  }
  const { agent } = opening
  const outcome = yield* listen(task, opening)
  const dollars = await costOf(task, { ...opening, outcome })
  const end = endOf(task, agent, outcome)
  yield { type: 'ended', end: { ...end, ...(dollars !== undefined && { totalDollars: dollars }) } }
}

/** Session ids of the SDK; other texts it would take for the title of some session. */
function isSessionId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

interface Opened {
  readonly agent: Agent
  readonly sessionId: string
}

async function open({ spec, signal, launch, warm, load, clock }: Task): Promise<Opening> {
  const ready = await warm.claim()
  const sessionId = ready?.sessionId ?? randomUUID()
  const { systemPrompt, previousSessionId } = spec
  try {
    const sdk = await load()
    if (signal.aborted) {
      await ready?.discard()
      return { ok: false, end: stopped }
    }
    const agent = openAgent({
      sdk,
      options: spawn => launch.options({ sessionId, spawn, systemPrompt, previousSessionId }),
      startProcess: wanted => ready?.take(wanted) ?? launch.startProcess(wanted),
      clock,
    })
    return { ok: true, agent, sessionId }
  } catch (error) {
    await ready?.discard()
    return { ok: false, end: failedWith({ kind: 'launch', message: claudeLaunchFailure(error) }) }
  }
}

type Opening = ({ readonly ok: true } & Opened) | { readonly ok: false; readonly end: HarnessEnd }

/** When it returns, nothing of the agent is left. */
async function* listen(task: Task, opened: Opened): AsyncGenerator<HarnessEvent, Outcome, void> {
  const { spec, signal, clock } = task
  const { agent } = opened
  const halt = () => void haltAgent(agent, clock)
  signal.addEventListener('abort', halt, { once: true })
  let outcome: Outcome | undefined
  try {
    if (signal.aborted) halt()
    else agent.say(spec.prompt)
    outcome = yield* runTurns({ ...task, ...opened })
    return outcome
  } finally {
    signal.removeEventListener('abort', halt)
    await (outcome?.conclusion ? agent.process.leave() : agent.process.stop())
  }
}

/** An interrupted turn has a result with what it cost; after that the agent ends by itself, if it is well. */
const haltedWithinMs = 1_200

async function haltAgent(agent: Agent, clock: Clock): Promise<void> {
  agent.interrupt()
  if (!(await inTime(agent.process.ended, { ms: haltedWithinMs, clock }))) await agent.process.stop()
}

async function costOf(
  { spec, log }: Task,
  { agent, sessionId, outcome }: Opened & { readonly outcome: Outcome },
): Promise<number | undefined> {
  const { conclusion, answers, isUsageKnown } = outcome
  if (!conclusion || !isUsageKnown) return undefined
  const { exit } = agent.process
  try {
    return await settleCost(openTotals(spec.home), {
      sessionId,
      previousSessionId: spec.previousSessionId,
      result: conclusion.result,
      answers,
      isWrittenDown: exit?.outcome === 'exited',
    })
  } catch (error) {
    log.warn('HARNESS', 'the total of a session could not be kept', { sessionId, error: String(error) })
    return undefined
  }
}

function endOf({ signal }: Task, agent: Agent, { conclusion }: Outcome): HarnessEnd {
  const { process, thrown } = agent
  if (!conclusion) {
    return signal.aborted ? stopped : crashed('The agent', process.exit, process.stderr() || saidBy(thrown()))
  }
  if (conclusion.isStopped) return stopped
  return conclusion.failure ? failed(conclusion.failure, process) : { ok: true }
}

function saidBy(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : ''
}

/** A wait helps only what may be tried again. */
function failed({ reason }: TurnFailure, { exit, waitLeft }: AgentProcess): BadEnd {
  const retryAfterMs = reason.retriable ? waitLeft() : undefined
  return { ok: false, exit: exitOf(exit), reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
