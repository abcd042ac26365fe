import type { ProcessExit } from '@weave/protocol'
import { failureOf } from '../failure.ts'
import type { HarnessEnd } from '../harness-event.ts'
import type { Agent } from './agent.ts'
import type { AgentExit, AgentProcess } from './agent-process.ts'
import { notInstalled } from './available.ts'
import type { Verdict } from './verdict.ts'

/** An end that is no success. */
type BadEnd = Extract<HarnessEnd, { readonly ok: false }>

export const stopped: BadEnd = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
}

export function lostSession(sessionId: string): BadEnd {
  const message = `The session ${sessionId} to go on from is not there.`
  return { ok: false, exit: failedExit, reason: failureOf({ kind: 'lost-session', message }) }
}

/** The SDK or its program could not be started. */
export function notLaunched(error: unknown): BadEnd {
  return { ok: false, exit: failedExit, reason: failureOf({ kind: 'launch', message: notInstalled(error) }) }
}

/** A wait helps only what may be tried again. */
export function failed({ reason }: Verdict, { exit, waitLeft }: AgentProcess): BadEnd {
  const retryAfterMs = reason.retriable ? waitLeft() : undefined
  return { ok: false, exit: exitOf(exit), reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** The program ended, or gave up, before there was a result. */
export function crashed({ process, thrown }: Agent): BadEnd {
  const { exit } = process
  if (exit?.type === 'not-started') {
    return { ok: false, exit: failedExit, reason: failureOf({ kind: 'launch', message: exit.message }) }
  }
  const said = process.stderr() || textOf(thrown())
  const message = `The agent ended without a result (${wordsFor(exit)})${said === '' ? '.' : `: ${said}`}`
  return { ok: false, exit: exitOf(exit), reason: failureOf({ kind: 'crash', message }) }
}

const failedExit: ProcessExit = { type: 'error', code: 1 }

/** A program that ended well although its work did not is said to have failed. */
function exitOf(exit: AgentExit | undefined): ProcessExit {
  return exit === undefined || exit.type === 'success' || exit.type === 'not-started' ? failedExit : exit
}

function wordsFor(exit: AgentExit | undefined): string {
  if (exit?.type === 'killed') return `ended by ${exit.signal}`
  if (exit?.type === 'error') return `exit code ${exit.code}`
  return 'exit code 0'
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : ''
}
