import { type KeptPlan, keptPlans, mayAdopt } from '../execution/index.ts'
import { createHistory, replay } from '../journal/index.ts'
import type { Plan } from '../plan/index.ts'
import { type AdoptionVerdict, nothingLeft } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/** The plans that an execution has had, oldest first; the last one is what it runs. Changes nothing. */
export async function readPlans({ journal }: ExecutionLayout): Promise<readonly KeptPlan[]> {
  const plans: KeptPlan[] = []
  for await (const kept of keptPlans(createHistory({ dir: journal }))) plans.push(kept)
  return plans.reverse()
}

/** Whether an execution may take another plan over, as it stands now. Asked again when it really does. Changes nothing. */
export async function previewAdoption(layout: ExecutionLayout, next: Plan): Promise<AdoptionVerdict> {
  const history = createHistory({ dir: layout.journal })
  const { state } = await replay(history, layout.stateFile)
  return mayAdopt(layout, { history, next, state })
}

/** Whether nothing is left to do in an execution, as far as its record tells. Changes nothing. */
export async function isFinished({ journal, stateFile }: ExecutionLayout, plan: Plan): Promise<boolean> {
  return nothingLeft(plan, (await replay(createHistory({ dir: journal }), stateFile)).state)
}
