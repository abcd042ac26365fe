import type { JournaledEvent } from '@weave/protocol'
import type { History, Page } from '../journal/index.ts'
import { foldedTypes, spokenTypes } from './fold.ts'
import { glance } from './glance.ts'
import type { ContentLevel } from './names.ts'

export interface PastQuery {
  readonly content: ContentLevel
  readonly upTo?: number
}

export interface PastPage extends Pick<Page, 'problems'> {
  readonly events: readonly JournaledEvent[]
}

/** What stands in a journal, page by page, as far as a fold looks at it. Rejects with what the disk says. */
export async function* pastEvents(
  history: History,
  { content, ...query }: PastQuery,
): AsyncGenerator<PastPage> {
  const types: ReadonlySet<string> = foldedWith(content)
  for await (const { events, problems } of history.pages(query)) {
    const seen: JournaledEvent[] = []
    for (const stored of events) {
      const type = history.type(stored)
      if (!types.has(type)) continue
      const known = content === 'none' ? glance(stored.rest, type) : undefined
      if (known === 'passed over') continue
      const event = known ?? (await history.event(stored))
      if (event) seen.push(event)
    }
    yield { events: seen, problems }
  }
}

/** The types of events that a fold looks at. */
export function foldedWith(content: ContentLevel): typeof foldedTypes {
  return content === 'none' ? foldedTypes : spokenTypes
}
