import { systemClock } from './clock.ts'
import { errorCode } from './error-code.ts'

/**
 * Signals every member of the group that `leader` began; signal 0 only asks. `false`: no member is left. Never throws.
 * A member whose death nobody has collected yet still counts.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isSafeInteger(leader) || leader <= 1) return false
  try {
    return process.kill(hasGroups ? -leader : leader, signal)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Asks the members that are left to end, and kills those that have not after `graceMs`. Never rejects. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return
  const deadline = systemClock.monotonic() + graceMs
  while (systemClock.monotonic() < deadline) {
    await systemClock.sleep(pollMs)
    if (!signalGroup(leader, 0)) return
  }
  signalGroup(leader, 'SIGKILL')
}

const hasGroups = process.platform !== 'win32'
const pollMs = 10
