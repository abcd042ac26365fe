import type { Clock, Log } from '../../kit/index.ts'
import type { HarnessEvent, HarnessSpec } from '../harness.ts'
import type { Agent } from './agent.ts'
import {
  classifyResult,
  type ErrorContext,
  errorsAfter,
  noErrors,
  type TurnFailure,
} from './classify-result.ts'
import { type Answers, createAnswers } from './cost.ts'
import { readMessage } from './read-message.ts'
import type { SdkMessage, SdkResult } from './sdk-message.ts'
import { createTranslate } from './translate.ts'

export interface TurnsOptions {
  readonly agent: Agent
  readonly sessionId: string
  readonly spec: HarnessSpec
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly log: Log
}

export interface Conclusion {
  /** The result that ended the work. */
  readonly result: SdkResult
  /** Absent when it went well. */
  readonly failure: TurnFailure | undefined
  /** It was stopped before it was done. */
  readonly isStopped: boolean
}

/** Everything that is known at the end. */
export interface Outcome {
  /** Absent when the agent ended without a result. */
  readonly conclusion: Conclusion | undefined
  readonly answers: Answers
  /** Of every answer; otherwise the total of the SDK is made of what cannot be. */
  readonly isUsageKnown: boolean
}

/** Takes an agent through its turns and yields what it does, until nothing more comes from it. */
export async function* runTurns(options: TurnsOptions): AsyncGenerator<HarnessEvent, Outcome, void> {
  const { agent, spec, clock, log } = options
  const answers = createAnswers()
  const translate = createTranslate(clock)
  const unknown = createUnknownCount()
  let errors = noErrors
  let isOpen = false
  let isUsageKnown = true
  let conclusion: Conclusion | undefined
  for (let raw = await agent.messages.take(); raw !== undefined; raw = await agent.messages.take()) {
    spec.onRaw(raw)
    const message = readMessage(raw)
    unknown.count(message)
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
  unknown.log(log)
  return { conclusion, answers, isUsageKnown }
}

/** Begins the next turn, if there is one; otherwise says how the work ended. */
function endOfTurn(
  { agent, spec, signal }: TurnsOptions,
  result: SdkResult,
  errors: ErrorContext,
): Conclusion | undefined {
  const failure = classifyResult(result, errors)
  const conclusion = { result, failure, isStopped: signal.aborted }
  if (signal.aborted || failure) return conclusion
  const next = spec.nextPrompt()
  if (next === undefined) return conclusion
  agent.say(next)
  return undefined
}

/** Messages of kinds that are not known here: a sign that the SDK has moved on. */
function createUnknownCount() {
  const counts = new Map<string, number>()
  return {
    count(message: SdkMessage): void {
      if (message.kind === 'unknown') counts.set(message.name, (counts.get(message.name) ?? 0) + 1)
    },
    log(log: Log): void {
      if (counts.size === 0) return
      log.warn('HARNESS', 'messages of the agent SDK that are not known', Object.fromEntries(counts))
    },
  }
}
