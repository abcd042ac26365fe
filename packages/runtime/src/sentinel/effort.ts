import { performance } from 'node:perf_hooks'

/**
 * A stop watch for work that computes: milliseconds, by the clock or by what this process has computed since, whichever
 * is less. On a machine that is busy with other things a second of work takes much longer than a second.
 */
export function startEffort(): () => number {
  const start = performance.now()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return Math.min(performance.now() - start, (user + system) / 1000)
  }
}
