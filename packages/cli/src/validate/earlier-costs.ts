import { type ObservedCosts, type Prepared, readEarlierCosts } from '@weave/runtime'

/** What the newest executions of the hank took; undefined when there is no hank. */
export async function earlierCosts(prepared: Prepared): Promise<ObservedCosts | undefined> {
  const { plan, loaded, paths } = prepared
  if (!plan || !loaded.source) return undefined
  return readEarlierCosts({ executionBaseDir: paths.executionBaseDir, hankPath: loaded.source.path, plan })
}
