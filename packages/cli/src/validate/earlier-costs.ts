import { type ObservedCosts, type Prepared, readEarlierCosts } from '@weave/runtime'
import { planOf } from '../plan-of.ts'

/** What the newest executions of the hank took; undefined when there is no hank. */
export async function earlierCosts(prepared: Prepared): Promise<ObservedCosts | undefined> {
  const plan = planOf(prepared)
  const hankPath = prepared.loaded.source?.path
  if (!plan || hankPath === undefined) return undefined
  return readEarlierCosts({ executionBaseDir: prepared.paths.executionBaseDir, hankPath, plan })
}
