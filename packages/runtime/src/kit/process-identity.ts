import { execFileSync } from 'node:child_process'
import { errorCode } from './error-code.ts'
import { readStat } from './process-stat.ts'

/** Whether a process runs under this id, ours or not. One that has ended and only waits to be collected does not. */
export function isAlive(pid: number): boolean {
  if (!isProcessId(pid)) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
  return readStat(pid)?.ended !== true
}

/**
 * When the process under this id began, as an opaque text: together with the id it names one process for good, across
 * reuse of ids and reboots. `undefined` when there is no such process. Never throws.
 */
export function processStartTime(pid: number): string | undefined {
  if (!isProcessId(pid)) return undefined
  return readStat(pid)?.startTime ?? startTimeFromPs(pid)
}

/** In which `ps` writes a start time that can be compared with another. */
export const psEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

// 0 and below mean whole groups to the system.
function isProcessId(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0
}

function startTimeFromPs(pid: number): string | undefined {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: psEnvironment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return text.trim() || undefined
  } catch {
    return undefined
  }
}
