import { spawn } from 'node:child_process'
import { systemClock } from './clock.ts'
import { errorCode } from './error-code.ts'

/**
 * Signals every member of the group that `leader` began; signal 0 only asks. `false`: no member is left. Never throws.
 * A member whose death nobody has collected yet still counts. Windows has no groups and no signals: there any signal but 0
 * ends the leader and what has it as an ancestor, by force.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isSafeInteger(leader) || leader <= 1) return false
  if (!hasGroups && signal !== 0) return endWindowsTree(leader)
  try {
    return process.kill(hasGroups ? -leader : leader, signal)
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
