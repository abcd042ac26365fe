import type { Bounded } from '@weave/protocol'

/** Keeps the newest of what is added, oldest first, and counts the older ones. */
export function createNewestItems<Item>(most: number) {
  const items: Item[] = []
  let leftOut = 0
  return {
    add(item: Item): void {
      items.push(item)
      if (items.length <= most) return
      items.shift()
      leftOut++
    },
    result: (): Bounded<Item> => ({ items, leftOut }),
  }
}
