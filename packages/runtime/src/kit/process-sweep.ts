import { spawn } from 'node:child_process'
import { type Clock, systemClock } from './clock.ts'
import { errorCode } from './errors.ts'
import {
  findMarked,
  findStrays,
  type Marker,
  type Premises,
  type ProcessKey,
  treeOf,
} from './process-clues.ts'
import { isAlive, type ProcessRow, processTable } from './process-table.ts'

/**
 * Signals every member of the group that `leader` began; signal 0 only asks. `false`: no member is left. Never throws.
 * A member whose death nobody has collected yet still counts. Windows has no groups and no signals: there any signal but 0
 * ends the leader and what has it as an ancestor, by force.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isSafeInteger(leader) || leader <= 1) return false
  if (!hasGroups && signal !== 0) return endWindowsTree(leader)
  return signalled(hasGroups ? -leader : leader, signal)
}

/** Whether somebody is there to be signalled, ours or not. Never throws. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/**
 * Asks the members that are left when the leader has ended to end too, and kills those that have not after `graceMs`.
 * Never rejects.
 */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  // Without groups nothing leads from a leader that has ended to what it left, and its id may be another's by now.
  if (!hasGroups || !signalGroup(leader, 'SIGTERM')) return
  const deadline = systemClock.monotonic() + graceMs
  while (systemClock.monotonic() < deadline) {
    await systemClock.sleep(pollMs)
    if (!signalGroup(leader, 0)) return
  }
  signalGroup(leader, 'SIGKILL')
}

const hasGroups = process.platform !== 'win32'
const pollMs = 10

function endWindowsTree(leader: number): true {
  const taskkill = spawn('taskkill', ['/PID', String(leader), '/T', '/F'], {
    stdio: 'ignore',
    windowsHide: true,
  })
  taskkill.once('error', () => undefined)
  return true
}

interface SweepOptions {
  /** Between SIGTERM and SIGKILL; 0 does not ask. */
  readonly graceMs?: number
  /** For how long after that what keeps appearing is killed. */
  readonly limitMs?: number
  /** For the grace. */
  readonly clock?: Clock
}

interface SweepResult {
  /** Processes that were found and are gone. */
  readonly killed: readonly number[]
  /** Processes that were found and are still there. */
  readonly survivors: readonly number[]
}

/** `endOwned`, for what carries `marker` and what came from it. */
export function killMarked(marker: Marker, options: SweepOptions = {}): Promise<SweepResult> {
  return endOwned({ marker, keys: [] }, options)
}

/** What to know processes by. */
interface Ownership {
  readonly marker?: Marker | undefined
  readonly keys: readonly ProcessKey[]
  /** Where what is to be ended worked, and since when: see `findStrays`. */
  readonly premises?: Premises | undefined
}

/**
 * Ends what is named, marked or astray and everything that came from it (see `treeOf`): SIGTERM, up to `graceMs`, SIGKILL, and
 * again until none is found, since a process may start another while it is being looked for. Bounded; never rejects.
 */
export async function endOwned(
  { marker, keys, premises }: Ownership,
  { graceMs = 5000, limitMs = 5000, clock = systemClock }: SweepOptions = {},
): Promise<SweepResult> {
  const seen = new Map<string, ProcessRow>()
  // Whoever was seen stays a root: its end must not cut what it started off from us.
  const scan = async () => {
    const found = await findOwned({ marker, keys: [...keys, ...seen.values()], premises })
    for (const row of found) seen.set(`${row.pid} ${row.startTime}`, row)
    return found.map(({ pid }) => pid)
  }
  let left = await scan()
  const signalLeft = async (signal: NodeJS.Signals, waitMs: number, waitingClock: Clock) => {
    // One that is already gone, or no longer ours to signal, is told by the next scan.
    for (const pid of left) signalled(pid, signal)
    await untilGone(left, waitMs, waitingClock)
    // Looked up afresh before each signal, so that none goes to a stranger under a reused id.
    left = await scan()
    if (left.length > 0) return
    // A process that is just becoming another program shows no environment for a moment.
    await systemClock.sleep(secondScanMs)
    left = await scan()
  }
  if (graceMs > 0 && left.length > 0) await signalLeft('SIGTERM', graceMs, clock)
  const deadline = systemClock.monotonic() + limitMs
  while (left.length > 0 && systemClock.monotonic() < deadline) {
    await signalLeft('SIGKILL', killedWithinMs, systemClock)
  }
  const pids = new Set([...seen.values()].map(({ pid }) => pid))
  return { killed: [...pids].filter(pid => !left.includes(pid)), survivors: left }
}

const secondScanMs = 20
const killedWithinMs = 1000

async function findOwned({ marker, keys, premises }: Ownership): Promise<readonly ProcessRow[]> {
  const marked = marker === undefined ? [] : await findMarked(marker)
  const rows = await processTable()
  const strays = premises === undefined ? [] : await findStrays(premises, rows)
  const found = new Set([...marked, ...strays])
  return treeOf(rows, [...keys, ...rows.filter(({ pid }) => found.has(pid))])
}

async function untilGone(pids: readonly number[], limitMs: number, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + limitMs
  while (pids.some(isAlive) && clock.monotonic() < deadline) await clock.sleep(pollMs)
}
