/**
 * When each of a fixed number of actors acts next, and who is the first: a heap of their numbers, in which each knows its
 * place, so that a time may change without leaving anything behind.
 */
export function createActors(count: number) {
  const times = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  const heap = Int32Array.from({ length: count }, (_, actor) => actor)
  const places = Int32Array.from(heap)

  const put = (place: number, actor: number): void => {
    heap[place] = actor
    places[actor] = place
  }
  const timeAt = (place: number): number => times[heap[place] ?? 0] ?? Number.POSITIVE_INFINITY
  const rise = (from: number, actor: number, time: number): number => {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      if (timeAt(above) <= time) break
      put(place, heap[above] ?? 0)
      place = above
    }
    put(place, actor)
    return place
  }
  const sink = (from: number, actor: number, time: number): void => {
    let place = from
    for (;;) {
      let below = 2 * place + 1
      if (below >= count) break
      if (below + 1 < count && timeAt(below + 1) < timeAt(below)) below++
      if (timeAt(below) >= time) break
      put(place, heap[below] ?? 0)
      place = below
    }
    put(place, actor)
  }

  return {
    first: (): number => heap[0] ?? 0,
    timeOf: (actor: number): number => times[actor] ?? Number.POSITIVE_INFINITY,
    /** Infinity: it does nothing until it is told to. */
    set(actor: number, time: number): void {
      times[actor] = time
      const place = places[actor] ?? 0
      if (rise(place, actor, time) === place) sink(place, actor, time)
    },
  }
}
