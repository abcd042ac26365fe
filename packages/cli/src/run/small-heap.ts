import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import type { Clock } from '@weave/runtime'

/** Two halves of 4 MB; the loader of the command stops its growth there, too. V8 would grow it to 32 MB within a second. */
const youngGenerationBytes = 8 * 1024 * 1024
const everyMs = 1_000
const v8Major = Number.parseInt(process.versions.v8, 10)

const slowGrowth = '--heap-growing-percent=20'
/**
 * A function is optimized when it has run three hundred times as much as V8 thinks enough, on Node 20; later ones have a quick compiler
 * that keeps little, and use that alone. By itself V8 gets around to hundreds of functions that a waiting process seldom runs, for
 * hours, and `malloc` does not give back what compiling them took: 15 MB.
 */
const lateOptimizing = v8Major === 11 ? '--interrupt-budget=20000000' : '--no-opt'
/** By this name the loader of the command finds flags that it sets again after it had to set them back. */
const flagsToKeep = Symbol.for('weave.flags')

/** V8, as far as it matters here. */
export interface Heap {
  setFlags(flags: string): void
  /** Sets them for good. */
  keepFlags(flags: string): void
  youngBytes(): number
}

/** Of Node 24. A later V8 may not know the flags, and would say so on the screen. */
const newestV8 = 13

const ownHeap: Heap = {
  setFlags(flags) {
    if (v8Major <= newestV8) setFlagsFromString(flags)
  },
  keepFlags(flags) {
    ownHeap.setFlags(flags)
    Object.assign(globalThis, { [flagsToKeep]: flags })
  },
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
