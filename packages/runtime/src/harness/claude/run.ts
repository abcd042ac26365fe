import { randomUUID } from 'node:crypto'
import { type Clock, inTime, type Log } from '../../kit/index.ts'
import { launchFailure } from '../available.ts'
import { type BadEnd, crashed, exitOf, failedWith, stopped } from '../failure.ts'
import type { HarnessEnd, HarnessEvent, HarnessSpec } from '../harness.ts'
import { type Agent, openAgent } from './agent.ts'
import { classifyResult, type ErrorContext, errorsAfter, noErrors } from './classify-result.ts'
import { type Answers, createAnswers, openTotals, settleCost } from './cost.ts'
import { readMessage } from './read-message.ts'
import type { SdkModule } from './sdk.ts'
import type { SdkResult } from './sdk-message.ts'
import { createSideUsage, noTokens } from './side-usage.ts'
import { createTranslate } from './translate.ts'
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

/** See `Harness`. */
export async function* runAgent(task: Task): AsyncGenerator<HarnessEvent, void, void> {
  const opened = await open(task)
  if (!('agent' in opened)) {
    yield { type: 'ended', end: opened }
    return
  }
  const outcome = yield* listen(task, opened)
  const totalDollars = await costOf(task, opened, outcome)
  const end = endOf(task, opened.agent, outcome)
  yield { type: 'ended', end: { ...end, ...(totalDollars !== undefined && { totalDollars }) } }
}

/** Session ids of the SDK; other texts it would take for the title of some session. */
function isSessionId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

interface Opened {
  readonly agent: Agent
  readonly sessionId: string
}

async function open({ spec, signal, launch, warm, load, clock }: Task): Promise<Opened | BadEnd> {
  const { systemPrompt, previousSessionId } = spec
  if (previousSessionId !== undefined && !isSessionId(previousSessionId)) {
    const message = `The session ${previousSessionId} to go on from is not there.`
    return failedWith({ kind: 'lost-session', message })
  }
  if (signal.aborted) return stopped
  const ready = await warm.claim()
  const sessionId = ready?.sessionId ?? randomUUID()
  try {
    const sdk = await load()
    if (signal.aborted) {
      await ready?.discard()
      return stopped
    }
    const agent = openAgent({
      sdk,
      options: spawn => launch.options({ sessionId, spawn, systemPrompt, previousSessionId }),
      startProcess: wanted => ready?.take(wanted, launch) ?? launch.startProcess(wanted),
      clock,
    })
    return { agent, sessionId }
  } catch (error) {
    await ready?.discard()
    return failedWith({ kind: 'launch', message: launchFailure('claude', error) })
  }
}

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
  { agent, sessionId }: Opened,
  { conclusion, answers, isUsageKnown }: Outcome,
): Promise<number | undefined> {
  if (!conclusion || !isUsageKnown) return undefined
  const { previousSessionId } = spec
  const isWrittenDown = agent.process.exit?.outcome === 'exited'
  try {
    const session = { sessionId, previousSessionId, result: conclusion.result, answers, isWrittenDown }
    return await settleCost(openTotals(spec.home), session)
  } catch (error) {
    log.warn('HARNESS', 'the total of a session could not be kept', { sessionId, error: String(error) })
    return undefined
  }
}

function endOf({ signal }: Task, { process, thrown }: Agent, { conclusion }: Outcome): HarnessEnd {
  if (!conclusion) {
    const error = thrown()
    const said = process.stderr() || (error instanceof Error ? error.message : '')
    return signal.aborted ? stopped : crashed('The agent', process.exit, said)
  }
  const { isStopped, failure } = conclusion
  if (isStopped) return stopped
  if (!failure) return { ok: true }
  const { exit, waitLeft } = process
  const { reason } = failure
  // A wait helps only what may be tried again.
  const retryAfterMs = reason.retriable ? waitLeft() : undefined
  return { ok: false, exit: exitOf(exit), reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

interface TurnsOptions {
  readonly agent: Agent
  readonly sessionId: string
  readonly spec: HarnessSpec
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly log: Log
}

interface Outcome {
  /** Absent when the agent ended without a result. */
  readonly conclusion: ReturnType<typeof endOfTurn>
  readonly answers: Answers
  /** Of every answer; otherwise the total of the SDK is made of what cannot be. */
  readonly isUsageKnown: boolean
}

/** Yields what an agent does in its turns, until nothing more comes from it. */
async function* runTurns(options: TurnsOptions): AsyncGenerator<HarnessEvent, Outcome, void> {
  const { agent, spec, clock, log } = options
  const sideUsage = createSideUsage(await tokensBefore(spec))
  const answers = createAnswers()
  const translate = createTranslate(clock)
  /** Messages of kinds that are not known here: a sign that the SDK has moved on. */
  const unknown = new Map<string, number>()
  let errors = noErrors
  let isOpen = false
  let isUsageKnown = true
  let conclusion: Outcome['conclusion']
  for (let raw = await agent.messages.take(); raw !== undefined; raw = await agent.messages.take()) {
    spec.onRaw(raw)
    const message = readMessage(raw)
    if (message.kind === 'unknown') unknown.set(message.name, (unknown.get(message.name) ?? 0) + 1)
    if (conclusion) continue
    if (message.kind === 'result') {
      const rest = answers.unfinished() ? undefined : sideUsage.rest(message.result.tokens)
      if (rest) yield rest
      conclusion = endOfTurn(options, message.result, errors)
      errors = noErrors
      if (conclusion) agent.finish()
      if (conclusion?.failure?.contextFull) yield { type: 'context-full' }
      continue
    }
    errors = errorsAfter(errors, message)
    answers.add(message)
    if (!isOpen) yield { type: 'session', sessionId: options.sessionId }
    isOpen = true
    for (const event of translate(message)) {
      isUsageKnown &&= !(event.type === 'usage' && event.isUnknown)
      if (event.type === 'usage') sideUsage.heard(event)
      yield event
    }
  }
  if (unknown.size > 0)
    log.warn('HARNESS', 'messages of the agent SDK that are not known', Object.fromEntries(unknown))
  return { conclusion, answers, isUsageKnown }
}

function tokensBefore({ previousSessionId, home }: HarnessSpec) {
  return previousSessionId === undefined ? noTokens : openTotals(home).tokensOf(previousSessionId)
}

/** Begins the next turn, if there is one; otherwise says how the work ended. */
function endOfTurn({ agent, spec, signal }: TurnsOptions, result: SdkResult, errors: ErrorContext) {
  const failure = classifyResult(result, errors)
  const isStopped = signal.aborted
  const next = isStopped || failure ? undefined : spec.nextPrompt()
  if (next === undefined) return { result, failure, isStopped }
  agent.say(next)
  return undefined
}
