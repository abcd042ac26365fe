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
 * Signals the group that `leader` began; 0 only asks. `false`: nobody is left, not even one whose death is not collected.
 * Windows has neither groups nor signals: any signal ends the leader and its descendants by force. Never throws.
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

/** For members that are left when the leader has ended: SIGTERM, `graceMs`, SIGKILL. Never rejects. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  // Without groups nothing leads from an ended leader to what it left, and its id may be another's by now.
  if (!hasGroups || !signalGroup(leader, 'SIGTERM')) return
  if (!(await polled(() => !signalGroup(leader, 0), graceMs, systemClock))) signalGroup(leader, 'SIGKILL')
}

/** Whether it came to pass in time. */
async function polled(isOver: () => boolean, limitMs: number, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonic() + limitMs
  while (!isOver()) {
    if (clock.monotonic() >= deadline) return false
    await clock.sleep(pollMs)
  }
  return true
}

const hasGroups = process.platform !== 'win32'
const pollMs = 10

function endWindowsTree(leader: number): true {
  const options = { stdio: 'ignore', windowsHide: true } as const
  spawn('taskkill', ['/PID', String(leader), '/T', '/F'], options).once('error', () => undefined)
  return true
}

interface SweepOptions {
  readonly graceMs?: number
  /** For how long what keeps appearing is killed. */
  readonly limitMs?: number
  readonly clock?: Clock
}

/** `endOwned`, for what carries `marker` and what came from it. */
export function killMarked(marker: Marker, options: SweepOptions = {}) {
  return endOwned({ marker, keys: [] }, options)
}

interface Ownership {
  readonly marker?: Marker | undefined
  readonly keys: readonly ProcessKey[]
  readonly premises?: Premises | undefined
}

/**
 * Ends what is named, marked or astray and all that came from it: SIGTERM, up to `graceMs`, SIGKILL, again until none is
 * found, since a process may start another meanwhile. Bounded; never rejects.
 */
export async function endOwned(
  { marker, keys, premises }: Ownership,
  { graceMs = 5000, limitMs = 5000, clock = systemClock }: SweepOptions = {},
) {
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
    await polled(() => !left.some(isAlive), waitMs, waitingClock)
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
