import { closeSync, openSync } from 'node:fs'
import type { FailureReason, ProcessExit } from '@weave/protocol'
import { errorCode, type ProcessEnd } from '../kit/index.ts'
import type { HarnessEnd } from './harness.ts'

/** What went wrong with an agent, as far as its SDK says. */
export interface Trouble {
  /**
   * `answer`: the provider answered with an error; `connection`: it was not reached, or the connection broke; `launch`:
   * the agent could not be started; `crash`: it ended without a result; `lost-session`: there is none to go on from.
   */
  readonly kind: 'answer' | 'connection' | 'launch' | 'crash' | 'lost-session' | 'unknown'
  readonly status?: number | undefined
  /** What the provider or the SDK said. */
  readonly message: string
}

const retriableStatus = new Set([408, 409, 425, 429])

/** Retriable: rate limits, overload, 5xx, connections, a crash. Not: what will be the same next time, such as a wrong key. */
export function failureOf({ kind, status, message }: Trouble): FailureReason {
  const broken = kind === 'connection' || kind === 'crash'
  if (status === undefined) return { type: broken ? 'api-error' : 'unknown', retriable: broken, message }
  if (status === 429) return { type: 'rate-limit', retriable: true, message }
  return { type: 'api-error', retriable: status >= 500 || retriableStatus.has(status), message }
}

export type BadEnd = Extract<HarnessEnd, { readonly ok: false }>

export const stopped: BadEnd = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
}

export function failedWith(trouble: Trouble, exit: ProcessExit = { type: 'error', code: 1 }): BadEnd {
  return { ok: false, exit, reason: failureOf(trouble) }
}

/** A program that ended well although its work did not is said to have failed. */
export function exitOf(end: ProcessEnd | undefined): ProcessExit {
  if (end?.signal) return { type: 'killed', signal: end.signal }
  return { type: 'error', code: end?.code || 1 }
}

/** `said`: the last of what it wrote about itself. */
export function crashed(program: string, end: ProcessEnd | undefined, said: string): BadEnd {
  if (end?.outcome === 'failed-to-start') {
    const { message = '', code } = end.error ?? {}
    const why = descriptorShortage(code) ?? message
    return failedWith({ kind: 'launch', message: `${program} could not be started: ${why}` })
  }
  const how = end?.signal ? `was ended by ${end.signal}` : `ended with code ${end?.code ?? 0}`
  const message = `${program} ${how} without a result${said === '' ? '.' : `: ${said}`}`
  return failedWith({ kind: 'crash', message }, exitOf(end))
}

/** What to say when this process may open no more files. Node reports a module that it could not open as not found. */
export function descriptorShortage(code = ''): string | undefined {
  const isShort = exhausted.has(code) || (code === 'ERR_MODULE_NOT_FOUND' && !canOpen(neededAtOnce))
  return isShort ? tooMany : undefined
}

const exhausted: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])
/** An SDK is loaded from hundreds of files, many at once. */
const neededAtOnce = 256
const tooMany =
  'Too many open files (EMFILE): this process may open no more. Raise the limit where weave is started, for example: ulimit -n 4096'

function canOpen(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(process.execPath, 'r'))
    return true
  } catch (error) {
    return !exhausted.has(errorCode(error) ?? '')
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
