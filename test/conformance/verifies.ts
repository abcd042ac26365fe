import { type TestContext, test } from 'vitest'
import { isProof } from '../support/proof.ts'
import type { RequirementId } from './requirements.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The requirement ids this test stands for; the contract reporter counts them when the test passes. */
    requirements?: readonly string[]
  }
}

/**
 * A test that stands for rules of the contract. The ids are checked by the compiler, found in the source text by
 * `coverage.test.ts`, and counted as verified only when the test really ran and passed. `WEAVE_PROOF_RULE` leaves out those
 * that stand for other rules: what remains must notice when that rule is broken.
 */
export function verifies(
  ids: readonly RequirementId[],
  sentence: string,
  body: (context: TestContext) => unknown,
  timeout?: number,
): void {
  const only = process.env['WEAVE_PROOF_RULE']
  const run = only === undefined || ids.some(id => id === only) ? test : test.skip
  run(
    sentence,
    async context => {
      context.task.meta.requirements = ids
      await body(context)
    },
    // The whole of a proof has what its command gives: how long it takes beside other work says nothing.
    isProof ? undefined : timeout,
  )
}
