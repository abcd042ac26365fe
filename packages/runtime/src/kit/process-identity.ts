import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { errorCode } from './error-code.ts'

/** Whether a process runs under this id, ours or not. One that has ended and only waits to be collected does not. */
export function isAlive(pid: number): boolean {
  if (!isProcessId(pid)) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
  return !endedStates.includes(readStat(pid)?.state ?? '')
}

/**
 * When the process under this id began, as an opaque text: together with the id it names one process for good, across
 * reuse of ids and reboots. `undefined` when there is no such process. Never throws.
 */
export function processStartTime(pid: number): string | undefined {
  if (!isProcessId(pid)) return undefined
  const stat = readStat(pid)
  return stat ? `${stat.startTicks}@${bootId()}` : startTimeFromPs(pid)
}

const endedStates = ['Z', 'X', 'x']

// 0 and below mean whole groups to the system.
function isProcessId(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0
}

/** Fields 3 and 22, counted behind the command name, which may itself hold spaces and parentheses. */
function readStat(pid: number): { readonly state: string; readonly startTicks: string } | undefined {
  const text = readText(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const state = fields?.[0]
  const startTicks = fields?.[19]
  return state !== undefined && startTicks !== undefined ? { state, startTicks } : undefined
}

/** Start times count from the boot, so two boots may repeat them. */
function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

function startTimeFromPs(pid: number): string | undefined {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return text.trim() || undefined
  } catch {
    return undefined
  }
}
