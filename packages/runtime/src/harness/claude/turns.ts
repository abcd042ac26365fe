import type { Clock, Log } from '../../kit/index.ts'
import type { HarnessEvent, HarnessSpec } from '../harness.ts'
import type { Agent } from './agent.ts'
import { after, type Circumstances, calm, type Verdict, verdictOf } from './classify-result.ts'
import { type Answers, createAnswers } from './cost.ts'
import { readMessage } from './read-message.ts'
import type { SdkMessage, SdkResult } from './sdk-message.ts'
import { createTranslate } from './translate.ts'

export interface Conducted {
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
  readonly verdict: Verdict | undefined
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

/** Leads an agent through its turns and tells what it does, until nothing more comes from it. */
export async function* conduct(conducted: Conducted): AsyncGenerator<HarnessEvent, Outcome, void> {
  const { agent, spec, clock, log } = conducted
  const answers = createAnswers()
  const translate = createTranslate(clock)
  const strangers = createStrangers()
  let circumstances = calm
  let isOpen = false
  let isUsageKnown = true
  let conclusion: Conclusion | undefined
  for (let raw = await agent.messages.take(); raw !== undefined; raw = await agent.messages.take()) {
    spec.onRaw(raw)
    const message = readMessage(raw)
    strangers.meet(message)
    if (conclusion) continue
    if (message.kind === 'result') {
      conclusion = endOfTurn(conducted, message.result, circumstances)
      circumstances = calm
      if (conclusion) agent.finish()
      if (conclusion?.verdict?.contextFull) yield { type: 'context-full' }
      continue
    }
    circumstances = after(circumstances, message)
    answers.meet(message)
    if (!isOpen) yield { type: 'session', sessionId: conducted.sessionId }
    isOpen = true
    for (const event of translate(message)) {
      isUsageKnown &&= !(event.type === 'usage' && event.isUnknown)
      yield event
    }
  }
  strangers.tell(log)
  return { conclusion, answers, isUsageKnown }
}

/** Begins the next turn, if there is one; otherwise says how the work ended. */
function endOfTurn(
  { agent, spec, signal }: Conducted,
  result: SdkResult,
  circumstances: Circumstances,
): Conclusion | undefined {
  const verdict = verdictOf(result, circumstances)
  const conclusion = { result, verdict, isStopped: signal.aborted }
  if (signal.aborted || verdict) return conclusion
  const next = spec.nextPrompt()
  if (next === undefined) return conclusion
  agent.say(next)
  return undefined
}

/** Counts messages of kinds that are not known here: a sign that the SDK has moved on. */
function createStrangers() {
  const counts = new Map<string, number>()
  return {
    meet(message: SdkMessage): void {
      if (message.kind === 'unknown') counts.set(message.name, (counts.get(message.name) ?? 0) + 1)
    },
    tell(log: Log): void {
      if (counts.size === 0) return
      log.warn('HARNESS', 'messages of the agent SDK that are not known', Object.fromEntries(counts))
    },
  }
}
