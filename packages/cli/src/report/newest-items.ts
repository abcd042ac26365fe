/** The newest of what was added, oldest first, and how many older ones went. */
export interface NewestItems<Item> {
  readonly items: readonly Item[]
  readonly leftOut: number
}

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
    result: (): NewestItems<Item> => ({ items, leftOut }),
  }
}
