import { commandAndChecks } from './command-and-checks.ts'
import { files } from './files.ts'
import { harnesses } from './harnesses.ts'
import { lockAndJournal } from './lock-and-journal.ts'
import type { Mutant } from './mutant.ts'
import { sentinelsAndBudgets } from './sentinels-and-budgets.ts'

/** TABLE of all mutants, by area. */
export const mutants: readonly Mutant[] = [
  ...files,
  ...commandAndChecks,
  ...lockAndJournal,
  ...sentinelsAndBudgets,
  ...harnesses,
  {
    rule: 'safety/I10',
    file: 'packages/runtime/src/runner/retry.ts',
    find: 'Math.max(0, retryAfterMs)',
    replace: 'Math.min(maxDelayMs, retryAfterMs)',
    killedBy: ['packages/runtime/test/runner/retry.test.ts'],
  },
]
