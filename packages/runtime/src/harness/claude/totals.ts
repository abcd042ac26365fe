import { join } from 'node:path'
import { ensureDir, readRegularFile, writeFileAtomic } from '../../files/index.ts'
import { fieldsOf, numberOf } from '../../kit/index.ts'

/**
 * What conversations had cost when their sessions ended, by session. The SDK goes on counting when a session goes on from
 * another, so what one session cost is a difference.
 */
export interface Totals {
  /** Undefined when not known. Never rejects. */
  of(sessionId: string): Promise<number | undefined>
  /** Rejects when it cannot be written. */
  keep(sessionId: string, dollars: number): Promise<void>
}

const mostBytes = 64 * 1024 * 1024

export function openTotals(home: string): Totals {
  const path = join(home, 'claude-totals.json')

  async function read(): Promise<ReadonlyMap<string, unknown>> {
    const file = await readRegularFile(path, { maxBytes: mostBytes })
    if (!file.ok) return new Map()
    try {
      return new Map(Object.entries(fieldsOf(JSON.parse(file.bytes.toString('utf8')))))
    } catch {
      // Not known is always a possible answer; the next total begins a new file.
      return new Map()
    }
  }

  return {
    of: async sessionId => numberOf((await read()).get(sessionId)),
    async keep(sessionId, dollars) {
      const totals = new Map(await read()).set(sessionId, dollars)
      await ensureDir(home)
      await writeFileAtomic(path, `${JSON.stringify(Object.fromEntries(totals))}\n`)
    },
  }
}
