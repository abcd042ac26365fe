import type { CollectorOptions, Posted } from './export.ts'

/** Whether a collector takes a request, by one that holds nothing. Never rejects. */
export async function tryCollector(options: CollectorOptions): Promise<Posted> {
  const { openCollector } = await import('./export.ts')
  const client = openCollector(options)
  try {
    return await client.post([], AbortSignal.timeout(longest))
  } finally {
    client.close()
  }
}

/** Milliseconds. */
const longest = 5_000
