import { readdir, readFile, stat } from 'node:fs/promises'
import { type Clock, systemClock } from './clock.ts'
import { isAlive } from './process-identity.ts'

/** A variable in the environment of processes, to know them by: `NAME=value`. */
export type Marker = `${string}=${string}`

export interface SweepResult {
  /** Processes that were found and are gone. */
  readonly killed: readonly number[]
  /** Processes that were found and are still there. */
  readonly survivors: readonly number[]
}

/**
 * Our user's processes whose environment, as it was when they started, holds `marker`, except this one.
 * Finds what left its process group and lost its parent; misses what was started with a cleaned environment. Never
 * rejects; what cannot be read is passed over. Empty where the system does not show environments.
 */
export async function findMarked(marker: Marker): Promise<readonly number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name)).map(Number)
  const found: number[] = []
  for (let at = 0; at < pids.length; at += readsAtOnce) {
    const batch = pids.slice(at, at + readsAtOnce)
    const marked = await Promise.all(batch.map(pid => isMarked(pid, marker)))
    found.push(...batch.filter((_, index) => marked[index]))
  }
  return found
}

/**
 * Ends every process that `findMarked` finds: SIGTERM, up to `graceMs`, SIGKILL, and again until none is found, since a
 * process may start another while it is being looked for. Bounded; never rejects.
 */
export async function killMarked(
  marker: Marker,
  { graceMs = 5000, clock = systemClock }: { readonly graceMs?: number; readonly clock?: Clock } = {},
): Promise<SweepResult> {
  const met = new Set<number>()
  let left = await findMarked(marker)
  const signalLeft = async (signal: NodeJS.Signals, limitMs: number, waitingClock: Clock) => {
    for (const pid of left) met.add(pid)
    signalAll(left, signal)
    await untilGone(left, limitMs, waitingClock)
    // Looked up afresh before each signal, so that none goes to a stranger under a reused id.
    left = await findMarked(marker)
  }
  if (graceMs > 0 && left.length > 0) await signalLeft('SIGTERM', graceMs, clock)
  for (let round = 0; round < rounds && left.length > 0; round++) {
    await signalLeft('SIGKILL', killedWithinMs, systemClock)
  }
  return { killed: [...met].filter(pid => !left.includes(pid)), survivors: left }
}

const rounds = 5
const readsAtOnce = 16
const pollMs = 10
const killedWithinMs = 1000

async function isMarked(pid: number, marker: Marker): Promise<boolean> {
  if (pid === process.pid) return false
  try {
    const { uid } = await stat(`/proc/${pid}`)
    if (uid !== process.getuid?.()) return false
    const environment = await readFile(`/proc/${pid}/environ`)
    return Buffer.concat([nul, environment, nul]).includes(`\0${marker}\0`)
  } catch {
    return false
  }
}

const nul = Buffer.from('\0')

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // Already gone, or no longer ours to signal: the next look tells.
    }
  }
}

async function untilGone(pids: readonly number[], limitMs: number, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + limitMs
  while (pids.some(isAlive) && clock.monotonic() < deadline) await clock.sleep(pollMs)
}
