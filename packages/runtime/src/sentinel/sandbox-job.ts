import { performance } from 'node:perf_hooks'
import type { Result } from '../kit/index.ts'

/** What is asked of the isolated thread, and what it answers. Plain data: it travels between threads. */

export type SandboxJob =
  /** Without `it` the program is only built. */
  | { readonly kind: 'render'; readonly code: string; readonly it?: string }
  /** Whether a JSON text fits a JSON Schema; without `value`, whether the schema can be used at all. */
  | { readonly kind: 'validate'; readonly schema: string; readonly value?: string; readonly each: boolean }

export type SandboxAnswer = Result<{ readonly text: string }, SandboxFailure>

export interface SandboxFailure {
  /** `program`: no good, or names something that does not exist. `run`: failed this time. `limit`: took too much. */
  readonly kind: 'program' | 'run' | 'limit'
  readonly message: string
  /** Of the program, from 1. */
  readonly line?: number
  /** The thread may be damaged and must not be used again. */
  readonly isBroken?: true
}

/** Said before a job is begun, when all is loaded that it needs: from then on the time is the job's own. */
export const jobStarted = 'started'

/** A job and how long it may compute. */
export interface TimedJob {
  readonly job: SandboxJob
  readonly milliseconds: number
}

export const renderLimits = {
  bytes: 64 * 1024 * 1024,
  /** Of the interpreter, which uses several times as much of the stack of the thread. */
  stackBytes: 64 * 1024,
  characters: 1_000_000,
}

/**
 * A stop watch for work that computes: milliseconds, by the clock or by what this process has computed since, whichever
 * is less. On a machine that is busy with other things a second of work takes much longer than a second.
 */
export function startEffort(): () => number {
  const start = performance.now()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return Math.min(performance.now() - start, (user + system) / 1000)
  }
}
