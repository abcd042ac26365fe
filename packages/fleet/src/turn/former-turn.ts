import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, processStartTime } from '@weave/runtime'

/** How long a process may take to be gone after SIGKILL. */
const longestEndMs = 5_000

/** Beside an execution: which process works in it on this machine. */
function fileOf(execution: string): string {
  return `${execution}.turn`
}

export function noteTurn(execution: string, pid: number): void {
  writeFileSync(fileOf(execution), JSON.stringify({ pid, startTime: processStartTime(pid) }), { mode: 0o600 })
}

/** Unless a later turn has noted its own meanwhile. */
export function forgetTurn(execution: string, pid: number): void {
  if (readTurn(execution)?.pid === pid) rmSync(fileOf(execution), { force: true })
}

/**
 * Ends the process of an earlier turn of this execution that is still here, such as that of a worker which stands still: a
 * newer epoch has begun, so it may not go on. Its agents end with it.
 */
export async function endFormerTurn(execution: string): Promise<void> {
  const former = readTurn(execution)
  if (!former || !isSame(former)) return
  process.kill(former.pid, 'SIGKILL')
  for (let waited = 0; isSame(former) && waited < longestEndMs; waited += 20) await delay(20)
}

interface Former {
  readonly pid: number
  readonly startTime?: string | undefined
}

function isSame({ pid, startTime }: Former): boolean {
  return isAlive(pid) && processStartTime(pid) === startTime
}

function readTurn(execution: string): Former | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(execution), 'utf8')) as Former
  } catch {
    return undefined
  }
}
