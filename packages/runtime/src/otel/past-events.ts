import type { JournaledEvent } from '@weave/protocol'
import type { History, Page, StoredEvent } from '../journal/index.ts'
import { foldedTypes, spokenTypes } from './fold.ts'
import { glance } from './glance.ts'
import type { ContentLevel } from './names.ts'

export interface PastQuery {
  readonly content: ContentLevel
}

export interface PastPage extends Pick<Page, 'problems'> {
  readonly events: readonly JournaledEvent[]
}

/** What stands in a journal, page by page, as far as a fold looks at it. Rejects with what the disk says. */
export async function* pastEvents(
  history: History,
  { content, ...query }: PastQuery,
): AsyncGenerator<PastPage> {
  const read = foldedEvents(history, content)
  for await (const { events, problems } of history.pages(query))
    yield { events: await read(events), problems }
}

/** Makes events of lines, as far as a fold looks at them. */
export function foldedEvents(
  history: Pick<History, 'type' | 'event'>,
  content: ContentLevel,
): (lines: readonly StoredEvent[]) => Promise<readonly JournaledEvent[]> {
  const types: ReadonlySet<string> = content === 'none' ? foldedTypes : spokenTypes
  return async lines => {
    const seen: JournaledEvent[] = []
    for (const stored of lines) {
      const type = history.type(stored)
      if (!types.has(type)) continue
      const known = content === 'none' ? glance(stored.rest, type) : undefined
      if (known === 'passed over') continue
      const event = known ?? (await history.event(stored))
      if (event) seen.push(event)
    }
    return seen
  }
}
