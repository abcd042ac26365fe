import { readFileSync } from 'node:fs'

/**
 * Milliseconds that this thread has computed: unlike those of a clock, they are the same on a machine that is busy. For
 * tests that ask whether something is quick and wait for nothing. Where the system does not tell, it is a clock.
 */
export function threadTime(): number {
  try {
    const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return performance.now()
  }
}
