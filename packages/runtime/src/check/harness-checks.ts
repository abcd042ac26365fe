import { embeddedHarnessAvailable, sdkHarnessAvailable, servable } from '../harness/index.ts'
import type { HarnessName } from '../models/index.ts'

/** Apart from the harnesses themselves: checking a hank must not load what runs it. */
const available = { sdk: sdkHarnessAvailable, embedded: embeddedHarnessAvailable } as const

/** What the checks before a run want to know of harnesses. */
export const harnessChecks = {
  async harnessAvailable(name: HarnessName) {
    const found = await available[name]()
    return found.ok ? found : { ok: false as const, install: found.cure }
  },
  servable: (provider: string) => servable(provider),
}

/** For `weave doctor`. */
export function harnessesToCheck() {
  return [
    { name: 'Claude Agent SDK', available: () => sdkHarnessAvailable() },
    { name: 'Pi SDK', available: () => embeddedHarnessAvailable() },
  ]
}
