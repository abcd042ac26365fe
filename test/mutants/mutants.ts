import { commandAndChecks } from './command-and-checks.ts'
import { detach } from './detach.ts'
import { doors } from './doors.ts'
import { files } from './files.ts'
import { harnesses } from './harnesses.ts'
import { lockAndJournal } from './lock-and-journal.ts'
import type { Mutant } from './mutant.ts'
import { people } from './people.ts'
import { rehearsal } from './rehearsal.ts'
import { sentinelsAndBudgets } from './sentinels-and-budgets.ts'
import { versions } from './versions.ts'

/** TABLE of all mutants, by area. */
export const mutants: readonly Mutant[] = [
  ...doors,
  ...lockAndJournal,
  ...files,
  ...sentinelsAndBudgets,
  ...harnesses,
  ...rehearsal,
  ...commandAndChecks,
  ...people,
  ...detach,
  ...versions,
]
