import type { ProblemCode } from '@weave/protocol'
import { type Clock, type Problem, problemOf } from '../kit/index.ts'
import { hashData } from '../workspace/index.ts'

export interface DataCheck {
  readonly problems: readonly Problem<ProblemCode>[]
  /** Absent when the data cannot be used. */
  readonly data?: CheckedData
}

/** The data as a run would find them now. */
export interface CheckedData {
  readonly path: string
  readonly hash: string
  /** The time was up before everything was hashed. */
  readonly partial: boolean
}

export interface DataCheckOptions {
  readonly path: string
  /** What does not count as data. */
  readonly exclude: readonly string[]
  /** How long a run may hash, in milliseconds. */
  readonly timeLimit: number
  readonly clock: Clock
}

/** Milliseconds that a check may hash data, whatever `dataHashTimeLimit` allows a run. */
const longestHashing = 5_000

/** Hashes the data of a run as its start would. Changes nothing. */
export async function checkData({ path, exclude, timeLimit, clock }: DataCheckOptions): Promise<DataCheck> {
  const timeAdvice = `A run looks for ${timeLimit} ms (dataHashTimeLimit).`
  const result = await hashData({ path, timeLimit: longestHashing, timeAdvice, clock, exclude })
  if (!result.ok) {
    const { message } = result
    return { problems: [problemOf({ severity: 'error', code: 'data/unusable', message })] }
  }
  const { hash, partial, warnings } = result
  return {
    problems: warnings.map(message => problemOf({ severity: 'warning', code: 'data/left-out', message })),
    data: { path, hash, partial },
  }
}
