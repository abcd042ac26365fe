import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { errorCode, isAlive, processStartTime } from '@weave/runtime'
import * as z from 'zod'

/** What a hub writes down of itself, for the commands of the same user. */
const shape = z.object({
  pid: z.int().positive(),
  /** Opaque; with it a pid that was used again is told apart. */
  startTime: z.string(),
  port: z.int().min(1).max(65_535),
  ownerKey: z.string(),
  /** The directory whose executions it shows. */
  base: z.string(),
  readonly: z.boolean(),
})
export type HubRecord = Readonly<z.infer<typeof shape>>

function recordPath(home = homedir()): string {
  return join(home, '.weave', 'web.json')
}

/** The hub that runs; undefined: none does. Never throws. */
export function runningHub(path = recordPath()): HubRecord | undefined {
  const record = readRecord(path)
  return record && isAlive(record.pid) && isSameProcess(record) ? record : undefined
}

function readRecord(path: string): HubRecord | undefined {
  try {
    return shape.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data
  } catch {
    return undefined
  }
}

function isSameProcess({ pid, startTime }: HubRecord): boolean {
  return startTime === '' || processStartTime(pid) === startTime
}

/**
 * Of hubs that begin at the same time one writes the record; the others hear who did. Throws what the disk throws.
 */
export function claimRecord(
  record: Omit<HubRecord, 'pid' | 'startTime'>,
  path = recordPath(),
): { readonly ok: true; readonly release: () => void } | { readonly ok: false; readonly other: HubRecord } {
  const own: HubRecord = { ...record, pid: process.pid, startTime: processStartTime(process.pid) ?? '' }
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  for (;;) {
    try {
      writeFileSync(path, `${JSON.stringify(own)}\n`, { flag: 'wx', mode: 0o600 })
      return { ok: true, release: () => releaseRecord(path) }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      const other = runningHub(path)
      if (other) return { ok: false, other }
      rmSync(path, { force: true })
    }
  }
}

/** Only our own. */
function releaseRecord(path: string): void {
  if (existsSync(path) && readRecord(path)?.pid === process.pid) rmSync(path, { force: true })
}
