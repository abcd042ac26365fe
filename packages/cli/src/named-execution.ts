import { findExecution } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { executionBaseOf } from './prepare-run.ts'

/** The execution that a person means, the newest one unless named. */
export async function namedExecution(word: string | undefined, args: Arguments) {
  return findExecution(word, await executionBaseOf(args))
}
