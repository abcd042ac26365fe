import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { psEnvironment } from './process-identity.ts'
import { readStat } from './process-stat.ts'

/** One living process at one moment. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Its group again where the system does not tell. */
  readonly session: number
  /** See `processStartTime`. */
  readonly startTime: string
}

/** Every process of the system that has not ended. Empty on Windows. Never rejects. */
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
  const [, pid, parent, group, state, startTime] =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
  if (startTime === undefined || state?.startsWith('Z')) return []
  return [
    { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), startTime },
  ]
}

async function tableFromProc(): Promise<readonly ProcessRow[]> {
  const names = await readdir('/proc').catch(() => [])
  const rows: ProcessRow[] = []
  const pids = names.filter(name => /^\d+$/.test(name)).map(Number)
  for (const [at, pid] of pids.entries()) {
    // These reads never wait for a disk, and reading one by one costs a fifth of doing it asynchronously.
    const stat = readStat(pid)
    if (stat && !stat.ended) rows.push({ pid, ...stat })
    if (at % readsInATurn === readsInATurn - 1) await setImmediate()
  }
  return rows
}

const readsInATurn = 64
