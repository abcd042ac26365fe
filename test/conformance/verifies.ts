import { type TestContext, test } from 'vitest'
import type { RequirementId } from './requirements.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The requirement ids this test stands for; the contract reporter counts them when the test passes. */
    requirements?: readonly string[]
  }
}

/**
 * A test that stands for rules of the contract. The ids are checked by the compiler, found in the source text by
 * `coverage.test.ts`, and counted as verified only when the test really ran and passed.
 */
export function verifies(
  ids: readonly RequirementId[],
  sentence: string,
  body: (context: TestContext) => unknown,
  timeout?: number,
): void {
  test(
    sentence,
    async context => {
      context.task.meta.requirements = ids
      await body(context)
    },
    timeout,
  )
}
