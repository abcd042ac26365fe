import { getHeapSpaceStatistics } from 'node:v8'
import type { Clock } from '@weave/runtime'
import { keepV8Flags, lateOptimizing, setV8Flags } from '../v8-flags.ts'
import { createCollect, createIdleWatch } from './collect-when-idle.ts'

/** Two halves of 4 MB; the loader of the command stops its growth there, too. V8 would grow it to 32 MB within a second. */
const youngGenerationBytes = 8 * 1024 * 1024
const everyMs = 1_000

const slowGrowth = '--heap-growing-percent=20'

/** V8, as far as it matters here. */
export interface Heap {
  setFlags(flags: string): void
  /** Sets them for good. */
  keepFlags(flags: string): void
  sizes(): { readonly youngBytes: number; readonly oldBytes: number }
  computedMs(): number
  collect(): void
}

function ownHeap(): Heap {
  let collect: (() => void) | undefined
  return {
    setFlags: setV8Flags,
    keepFlags: keepV8Flags,
    sizes() {
      const spaces = getHeapSpaceStatistics()
      const young = spaces.find(({ space_name: name }) => name === 'new_space')
      const used = spaces.reduce((sum, { space_used_size: size }) => sum + size, 0)
      return { youngBytes: young?.space_size ?? 0, oldBytes: used - (young?.space_used_size ?? 0) }
    },
    computedMs() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1_000
    },
    collect() {
      collect ??= createCollect()
      collect()
    },
  }
}

/**
 * Keeps the memory of a process small that lives for hours and waits for agents most of them. Garbage is collected when the heap
 * has grown by a fifth, and when nothing goes on: by itself V8 waits until it is two or three times as large, and keeps what it
 * took. The young generation does not grow either, and little is optimized. All that has to be said again and again, since every
 * thread that starts sets it back for all.
 */
export function keepHeapSmall(clock: Pick<Clock, 'every'>, heap: Heap = ownHeap()): () => void {
  const calm = `${slowGrowth} ${lateOptimizing}`
  const watch = createIdleWatch(everyMs)
  heap.keepFlags(calm)
  return clock.every(everyMs, () => {
    heap.setFlags(calm)
    const { youngBytes, oldBytes } = heap.sizes()
    if (youngBytes >= youngGenerationBytes) heap.setFlags('--semi-space-growth-factor=1')
    if (!watch.isTime({ oldBytes, computedMs: heap.computedMs() })) return
    heap.collect()
    watch.collected(heap.sizes().oldBytes)
  })
}
