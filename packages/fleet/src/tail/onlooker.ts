import type { Engine } from '../engine/index.ts'
import type { Store } from '../store/index.ts'
import { type TailEvent, type TailPart, unpackEvents } from './tail-part.ts'

/** So many events are remembered: a turn that goes on with an execution shows a few once more. */
const mostRemembered = 10_000

/** Looks on at one execution. Each call says so to its worker, and answers with what happened since the call before. */
export function createOnlooker(
  { engine, store }: { readonly engine: Engine; readonly store: Store },
  execution: string,
): () => Promise<readonly TailEvent[]> {
  let read: ReadonlySet<string> = new Set()
  const told = new Set<string>()
  return async () => {
    const [row] = await engine.database.query<{ parts: readonly TailPart[] }>(
      'select fleet.look_on($1) as parts',
      [execution],
    )
    const parts = row?.parts ?? []
    const news: TailEvent[] = []
    for (const { sha } of parts.filter(part => !read.has(part.sha))) {
      for (const event of unpackEvents(await store.get(sha))) {
        if (told.has(event.id)) continue
        told.add(event.id)
        news.push(event)
      }
    }
    read = new Set(parts.map(({ sha }) => sha))
    for (const id of told) {
      if (told.size <= mostRemembered) break
      told.delete(id)
    }
    return news
  }
}
