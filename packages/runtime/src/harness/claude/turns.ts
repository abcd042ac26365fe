import type { Clock, Log } from '../../kit/index.ts'
import type { HarnessEvent, HarnessSpec } from '../harness.ts'
import type { Agent } from './agent.ts'
import { classifyResult, type ErrorContext, errorsAfter, noErrors } from './classify-result.ts'
import { type Answers, createAnswers } from './cost.ts'
import { readMessage } from './read-message.ts'
import type { SdkResult } from './sdk-message.ts'
import { createTranslate } from './translate.ts'

export interface TurnsOptions {
  readonly agent: Agent
  readonly sessionId: string
  readonly spec: HarnessSpec
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly log: Log
}

export interface Outcome {
  /** Absent when the agent ended without a result. */
  readonly conclusion: ReturnType<typeof endOfTurn>
  readonly answers: Answers
  /** Of every answer; otherwise the total of the SDK is made of what cannot be. */
  readonly isUsageKnown: boolean
}

/** Yields what an agent does in its turns, until nothing more comes from it. */
export async function* runTurns(options: TurnsOptions): AsyncGenerator<HarnessEvent, Outcome, void> {
  const { agent, spec, clock, log } = options
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
      yield event
    }
  }
  if (unknown.size > 0)
    log.warn('HARNESS', 'messages of the agent SDK that are not known', Object.fromEntries(unknown))
  return { conclusion, answers, isUsageKnown }
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
