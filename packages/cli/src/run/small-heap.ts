import { getHeapSpaceStatistics } from 'node:v8'
import type { Clock } from '@weave/runtime'
import { keepV8Flags, lateOptimizing, setV8Flags } from '../v8-flags.ts'

/** Two halves of 4 MB; the loader of the command stops its growth there, too. V8 would grow it to 32 MB within a second. */
const youngGenerationBytes = 8 * 1024 * 1024
const everyMs = 1_000

const slowGrowth = '--heap-growing-percent=20'

/** V8, as far as it matters here. */
export interface Heap {
  setFlags(flags: string): void
  /** Sets them for good. */
  keepFlags(flags: string): void
  youngBytes(): number
}

const ownHeap: Heap = {
  setFlags: setV8Flags,
  keepFlags: keepV8Flags,
  youngBytes: () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0,
}

/**
 * Keeps the memory of a process small that lives for hours and waits for agents most of them. Garbage is collected when the heap
 * has grown by a fifth: by itself V8 waits until it is two or three times as large, and keeps what it took. The young
 * generation does not grow either, and little is optimized. All that has to be said again and again, since every thread that starts
 * sets it back for all.
 */
export function keepHeapSmall(clock: Pick<Clock, 'every'>, heap: Heap = ownHeap): () => void {
  const calm = `${slowGrowth} ${lateOptimizing}`
  heap.keepFlags(calm)
  return clock.every(everyMs, () => {
    heap.setFlags(calm)
    if (heap.youngBytes() >= youngGenerationBytes) heap.setFlags('--semi-space-growth-factor=1')
  })
}
