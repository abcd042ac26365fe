import { readRegularFile } from '../files/index.ts'
import { fieldOf, textOf } from '../kit/index.ts'
import type { History } from './history.ts'

/**
 * What an execution is called wherever its name must not matter: it keeps this when it is moved or renamed. The id of the
 * first event of its journal, and for one whose journal begins with events of another the id in its `origin.json`.
 * Undefined while nothing has been written.
 */
export async function executionIdOf(history: History, originFile: string): Promise<string | undefined> {
  const own = await ownId(originFile)
  if (own !== undefined) return own
  for await (const { events } of history.pages({ maxEvents: 1, upTo: Number.POSITIVE_INFINITY })) {
    const [first] = events
    const event = first && (await history.event(first))
    if (event) return event.id
  }
  return undefined
}

const maxBytes = 1024 * 1024

/** Nothing when there is no such file, or none that can be read. */
async function ownId(originFile: string): Promise<string | undefined> {
  const read = await readRegularFile(originFile, { maxBytes })
  if (!read.ok) return undefined
  try {
    return textOf(fieldOf(JSON.parse(read.bytes.toString('utf8')), 'id')) || undefined
  } catch {
    return undefined
  }
}
