import { setFlagsFromString } from 'node:v8'

const v8Major = Number.parseInt(process.versions.v8, 10)
/** Of Node 24. A later V8 may not know the flags, and would say so on the screen. */
const newestV8 = 13

/** A later V8 has a quick compiler that keeps little, and uses that alone. */
const optimizingAfter = (budget: number) => (v8Major === 11 ? `--interrupt-budget=${budget}` : '--no-opt')

/**
 * A function is optimized when it has run three hundred times as much as V8 thinks enough. For processes that wait for hours: by itself
 * V8 gets around to hundreds of functions that they seldom run, and `malloc` does not give back what compiling them took: 15 MB.
 */
export const lateOptimizing = optimizingAfter(20_000_000)

/** Ten times as much: for a process that ends soon and has no core to spare, but may have to read a long journal first. */
export const rareOptimizing = optimizingAfter(600_000)

/** By this name the loader of the command finds flags that it sets again after it had to set them back. */
const flagsToKeep = Symbol.for('weave.flags')

export function setV8Flags(flags: string): void {
  if (v8Major <= newestV8) setFlagsFromString(flags)
}

/** Sets them for good. */
export function keepV8Flags(flags: string): void {
  setV8Flags(flags)
  Object.assign(globalThis, { [flagsToKeep]: flags })
}
