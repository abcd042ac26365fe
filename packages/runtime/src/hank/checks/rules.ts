import { checkArchivedNeeds } from './archived-needs.ts'
import { checkBudgets } from './budgets.ts'
import type { Check } from './check.ts'
import { checkCommands } from './commands.ts'
import { checkContinuation } from './continuation.ts'
import { checkIdentity } from './identity.ts'
import { checkLoops } from './loops.ts'
import { checkPatterns } from './patterns.ts'
import { checkRigTargets } from './rig-targets.ts'
import {
  checkMeta,
  checkModels,
  checkOutputPaths,
  checkOutputs,
  checkPrompts,
  checkRequirements,
  checkRetry,
} from './small-rules.ts'

/**
 * All rules between the fields of a hank, in the order in which their problems are told: what stops the load and what only
 * warns, together. They look at the file as it is written, with the right shape but before any default is filled in:
 * some of them ask whether a default is relied on.
 */
export const rules: readonly Check[] = [
  checkMeta,
  checkRequirements,
  checkIdentity,
  checkModels,
  checkPrompts,
  checkContinuation,
  checkLoops,
  checkRetry,
  checkRigTargets,
  checkCommands,
  checkBudgets,
  checkOutputs,
  checkArchivedNeeds,
  checkPatterns,
  checkOutputPaths,
]
