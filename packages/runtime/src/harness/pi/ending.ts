import type { FailureReason, ProcessExit } from '@weave/protocol'
import { failureOf } from '../failure.ts'
import type { HarnessEnd } from '../harness-event.ts'
import type { WorkerFailure } from './worker-message.ts'
import type { WorkerEnd } from './worker-process.ts'

const failedExit: ProcessExit = { type: 'error', code: 1 }
const overflow: FailureReason = { type: 'api-error', retriable: false, message: 'The context is full.' }

export const stopped: HarnessEnd = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
}

export function launchFailure(message: string): HarnessEnd {
  return { ok: false, exit: failedExit, reason: failureOf({ kind: 'launch', message }) }
}

export function garbageEnd(message: string): HarnessEnd {
  return { ok: false, exit: failedExit, reason: failureOf({ kind: 'crash', message }) }
}

/** What a worker reported. */
export function reportedEnd({ trouble, retryAfterMs, contextFull }: WorkerFailure): HarnessEnd {
  return {
    ok: false,
    exit: failedExit,
    reason: contextFull ? overflow : failureOf(trouble),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** A worker that ended without a result. No end: it was killed, and the system takes its time. */
export function crashEnd(known: WorkerEnd | undefined, lastWords: string): HarnessEnd {
  const end = known ?? { kind: 'signaled', signal: 'SIGKILL' }
  if (end.kind === 'not-started')
    return launchFailure(`The agent worker could not be started: ${end.message}`)
  const isSignal = end.kind === 'signaled'
  const how = isSignal ? `was ended by ${end.signal}` : `ended with code ${end.code}`
  const said = lastWords === '' ? '' : ` Its last words: ${lastWords}`
  return {
    ok: false,
    exit: isSignal ? { type: 'killed', signal: end.signal } : { type: 'error', code: end.code || 1 },
    reason: failureOf({ kind: 'crash', message: `The agent worker ${how} without a result.${said}` }),
  }
}
