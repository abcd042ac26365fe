import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import type { Clock } from '@weave/runtime'

/** Two halves of 4 MB; the loader of the command stops its growth there, too. V8 would grow it to 32 MB within a second. */
const youngGenerationBytes = 8 * 1024 * 1024
const everyMs = 1_000

const slowGrowth = '--heap-growing-percent=20'

/** V8, as far as it matters here. */
export interface Heap {
  setFlags(flags: string): void
  youngBytes(): number
}

/** Of Node 24. A later V8 may not know the flags, and would say so on the screen. */
const newestV8 = 13

const ownHeap: Heap = {
  setFlags(flags) {
    if (Number.parseInt(process.versions.v8, 10) <= newestV8) setFlagsFromString(flags)
  },
  youngBytes: () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0,
}

/**
 * Keeps the memory of a process small that lives for hours and waits for agents most of them. Garbage is collected when the heap
 * has grown by a fifth: by itself V8 waits until it is two or three times as large, and keeps what it took. The young
 * generation does not grow either. That has to be said again and again, since every thread that starts sets the growth back for all.
 */
export function keepHeapSmall(clock: Pick<Clock, 'every'>, heap: Heap = ownHeap): () => void {
  heap.setFlags(slowGrowth)
  return clock.every(everyMs, () => {
    // The loader sets both back while it loads something.
    heap.setFlags(slowGrowth)
    if (heap.youngBytes() >= youngGenerationBytes) heap.setFlags('--semi-space-growth-factor=1')
  })
}
