/**
 * A list that keeps its newest items, never changes and costs little to append to: items lie in chunks, so that adding
 * one copies a chunk and not the list. Old items go a whole chunk at a time.
 */
export interface Ring<Item> {
  readonly chunks: readonly (readonly Item[])[]
  readonly size: number
  /** How many items were let go. */
  readonly dropped: number
}

const chunkSize = 64

export const emptyRing: Ring<never> = { chunks: [], size: 0, dropped: 0 }

/** Holds at most `cap` items afterwards, and more than `cap - 64` of them if there were that many. */
export function pushed<Item>(ring: Ring<Item>, item: Item, cap: number): Ring<Item> {
  const tail = ring.chunks.at(-1)
  const chunks =
    tail && tail.length < chunkSize
      ? ring.chunks.with(-1, [...tail, item])
      : [...ring.chunks, [item] as readonly Item[]]
  const size = ring.size + 1
  const oldest = chunks[0]
  if (size <= cap || !oldest) return { chunks, size, dropped: ring.dropped }
  return {
    chunks: chunks.slice(1),
    size: size - oldest.length,
    dropped: ring.dropped + oldest.length,
  }
}

/** The newest `count` items, or all of them, oldest first. */
export function ringItems<Item>(ring: Ring<Item>, count = ring.size): readonly Item[] {
  const parts: (readonly Item[])[] = []
  let found = 0
  for (let index = ring.chunks.length - 1; index >= 0 && found < count; index--) {
    const chunk = ring.chunks[index] ?? []
    parts.unshift(chunk)
    found += chunk.length
  }
  const items = parts.flat()
  return items.slice(Math.max(0, items.length - count))
}

/** An array with `item` at its end and at most `cap` items: for lists that change rarely. */
export function appended<Item>(items: readonly Item[], item: Item, cap: number): readonly Item[] {
  return items.length < cap ? [...items, item] : [...items.slice(items.length - cap + 1), item]
}
