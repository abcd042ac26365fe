import { readdirSync, readFileSync } from 'node:fs'

/** What Linux tells about one process. */
export interface ProcessStat {
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly hasTerminal: boolean
  /** See `processStartTime`. */
  readonly startTime: string
  /** It has ended and only waits to be collected. */
  readonly ended: boolean
}

/** `undefined` when there is no such process, or no `/proc`. Never throws. */
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

/** Who has this process as its parent now, as far as Linux tells. The cost grows with its threads only. Never throws. */
export function childrenOf(pid: number): readonly number[] {
  const folder = `/proc/${pid}/task`
  try {
    return readdirSync(folder).flatMap(thread => numbersIn(readText(`${folder}/${thread}/children`) ?? ''))
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

function numbersIn(text: string): readonly number[] {
  return text
    .split(' ')
    .filter(word => word !== '')
    .map(Number)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
