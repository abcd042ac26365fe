import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { errorCode } from './errors.ts'

/** One that has ended and only waits to be collected does not live. */
export function isAlive(pid: number): boolean {
  if (!isProcessId(pid)) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
  return readStat(pid)?.ended !== true
}

/** An opaque text that names one process for good together with its id, across reuse of ids and reboots. Never throws. */
export function processStartTime(pid: number): string | undefined {
  if (!isProcessId(pid)) return undefined
  return readStat(pid)?.startTime ?? startTimeFromPs(pid)
}

/** In which `ps` writes a start time that can be compared with another. */
const psEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

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

export interface ProcessStat {
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly hasTerminal: boolean
  readonly startTime: string
  /** Only waits to be collected. */
  readonly ended: boolean
}

/** `undefined`: no such process, or no `/proc`. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = readText(`/proc/${pid}/stat`)
  // Fields 3 to 7 and 22, counted behind the command name, which may itself hold spaces and parentheses.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const state = fields?.[0]
  const startTicks = fields?.[19]
  if (fields === undefined || state === undefined || startTicks === undefined) return undefined
  return {
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    hasTerminal: fields[4] !== '0',
    startTime: `${startTicks}@${bootId()}`,
    ended: endedStates.includes(state),
  }
}

/** On Linux. The cost grows with the threads of the process only. */
export function childrenOf(pid: number): readonly number[] {
  const folder = `/proc/${pid}/task`
  try {
    const children = readdirSync(folder).map(thread => readText(`${folder}/${thread}/children`) ?? '')
    return children.join(' ').match(/\d+/g)?.map(Number) ?? []
  } catch {
    return []
  }
}

const endedStates = ['Z', 'X', 'x']

let knownBootId: string | undefined

/** Start times count from the boot, so two boots may repeat them. */
function bootId(): string {
  knownBootId ??= readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return knownBootId
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

/** One living process at one moment; its session is its group where the system does not say. */
export interface ProcessRow extends Pick<ProcessStat, 'parent' | 'group' | 'session' | 'startTime'> {
  readonly pid: number
}

/** Empty on Windows. Never rejects. */
export function processTable(): Promise<readonly ProcessRow[]> {
  if (process.platform === 'linux') return tableFromProc()
  return process.platform === 'win32' ? Promise.resolve([]) : tableFromPs()
}

/** For systems without `/proc`. */
export function tableFromPs(): Promise<readonly ProcessRow[]> {
  const args = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=']
  return new Promise(resolve => {
    execFile('ps', args, { env: psEnvironment, maxBuffer: 16 << 20 }, (_error, stdout) => {
      resolve(stdout.split('\n').flatMap(rowFromPs))
    })
  })
}

function rowFromPs(line: string): readonly ProcessRow[] {
  const [, ids, state, startTime] = /^\s*(\d+\s+\d+\s+\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
  if (ids === undefined || startTime === undefined || state?.startsWith('Z')) return []
  const [pid = 0, parent = 0, group = 0] = ids.split(/\s+/).map(Number)
  return [{ pid, parent, group, session: group, startTime }]
}

async function tableFromProc(): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = []
  for (const [at, pid] of (await processIds()).entries()) {
    // These reads never wait for a disk, and reading one by one costs a fifth of doing it asynchronously.
    const stat = readStat(pid)
    if (stat && !stat.ended) rows.push({ pid, ...stat })
    if (at % readsInATurn === readsInATurn - 1) await setImmediate()
  }
  return rows
}

export const readsInATurn = 64

/** On Linux. */
export async function processIds(): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => [])
  return names.filter(name => /^\d+$/.test(name)).map(Number)
}
