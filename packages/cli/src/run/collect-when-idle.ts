import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection takes about a millisecond for each MB: of more nobody is made to wait. */
const mostBytes = { idle: 128 * 1024 * 1024, busy: 64 * 1024 * 1024 }
const growth = 1.05
const atMostEveryMs = { idle: 10_000, busy: 60_000 }
/** Of a core. */
const idleShare = 0.05

export interface Idleness {
  /** In use and garbage, but for what lives shortly. */
  readonly oldBytes: number
  /** What this process has computed since it began. */
  readonly computedMs: number
}

/**
 * Says whether garbage is worth collecting now: the heap has grown by a twentieth since the last time, and nothing goes on, or
 * nothing has been collected for a minute, since a process that is always a little busy would never have its turn. Ask it every
 * `everyMs`. V8 collects when the heap has grown by a fifth; what a run leaves behind while its agent waits for a model comes
 * slowly, and stays for minutes.
 */
export function createIdleWatch(everyMs: number) {
  let computedBefore = Number.NEGATIVE_INFINITY
  let bytesAfter = 0
  let waited = 0
  return {
    isTime({ oldBytes, computedMs }: Idleness): boolean {
      const now = computedMs - computedBefore < idleShare * everyMs ? 'idle' : 'busy'
      computedBefore = computedMs
      waited += everyMs
      return waited >= atMostEveryMs[now] && oldBytes < mostBytes[now] && oldBytes > bytesAfter * growth
    },
    collected(oldBytes: number): void {
      bytesAfter = oldBytes
      waited = 0
    },
  }
}

/** Collects all garbage. V8 shows how only to who begins with its flag for that, or sets it. */
export function createCollect(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return collect
}
