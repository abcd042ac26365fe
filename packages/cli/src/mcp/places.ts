import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import {
  type ExecutionFile,
  type ExecutionLayout,
  executionLayout,
  listExecutions,
  readExecutionId,
  readLock,
  systemClock,
} from '@weave/runtime'
import { nameMeant } from '../named-execution.ts'
import { type Answer, failure } from './answers.ts'
import type { Surroundings } from './tool.ts'

export interface NamedExecution {
  readonly name: string
  readonly layout: ExecutionLayout
  readonly file: ExecutionFile | undefined
}

export type FoundPlace<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly answer: Answer }

export async function executionNames({ executionBaseDir }: Surroundings): Promise<readonly string[]> {
  const { executions } = await listExecutions({ executionBaseDir, clock: systemClock })
  return executions.map(({ layout }) => basename(layout.dir))
}

/** Whether a server is at work there. */
export async function isHeld({ lockFile }: ExecutionLayout): Promise<boolean> {
  return (await readLock(lockFile, systemClock)).kind === 'held'
}

/** An execution by its name, the beginning of just one name, or its id. A path names none. */
export async function executionNamed(
  word: string,
  { executionBaseDir }: Surroundings,
): Promise<FoundPlace<NamedExecution>> {
  const { executions, damaged } = await listExecutions({ executionBaseDir, clock: systemClock })
  const all = [
    ...executions.map(({ layout, file }) => ({ name: basename(layout.dir), layout, file })),
    ...damaged.map(({ dir }) => ({ name: basename(dir), layout: executionLayout(dir), file: undefined })),
  ]
  const exact = all.find(({ name }) => name === word)
  if (exact) return { ok: true, ...exact }
  if (word.startsWith('evt_')) {
    const ids = await Promise.all(all.map(({ layout }) => readExecutionId(layout).catch(() => undefined)))
    const fitting = all.filter((_, at) => ids[at]?.startsWith(word))
    const [only] = fitting
    if (only && fitting.length === 1) return { ok: true, ...only }
  }
  const meant = nameMeant(
    word,
    all.map(({ name }) => name),
  )
  const found = meant.ok ? all.find(({ name }) => name === meant.name) : undefined
  if (found) return { ok: true, ...found }
  const candidates = meant.ok ? [] : meant.candidates
  const code = candidates.length > 0 ? 'AMBIGUOUS_EXECUTION' : 'UNKNOWN_EXECUTION'
  const message = meant.ok ? `There is no execution ${word}.` : meant.message
  const more = candidates.length > 0 ? { candidates: candidates.slice(0, mostCandidates) } : {}
  return { ok: false, answer: failure(code, `${message} list_executions lists them.`, more) }
}

const mostCandidates = 50

export interface HankWords {
  /** Absolute, ends in `.json`. */
  readonly hank: string
  readonly data: string | undefined
}

/** Where a hank and its data are. Both are inside of the directories that the operator has named, links followed. */
export async function hankNamed(
  given: { readonly hank: string; readonly data?: string | undefined },
  at: Surroundings,
): Promise<FoundPlace<HankWords>> {
  const path = resolve(at.workingDirectory, withoutNul(given.hank))
  const isFolder = await stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
  const hank = isFolder || !path.endsWith('.json') ? join(path, 'hank.json') : path
  const data = given.data === undefined ? undefined : resolve(at.workingDirectory, withoutNul(given.data))
  for (const each of data === undefined ? [hank] : [hank, data]) {
    if (!isInside(await realPathOf(each), at.hankDirs)) return { ok: false, answer: outside(each, at) }
  }
  return { ok: true, hank, data }
}

/** No path has one; what comes after it would be cut off by the system. */
function withoutNul(path: string): string {
  return path.replaceAll('\0', '\u{fffd}')
}

/** Of what does not exist, the real path of the nearest directory that does, and the rest of the name. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realPathOf(parent), basename(path))
  }
}

function isInside(path: string, directories: readonly string[]): boolean {
  return directories.some(
    directory => path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep),
  )
}

function outside(path: string, { hankDirs }: Surroundings): Answer {
  return failure(
    'PATH_OUTSIDE',
    `${path} is outside of ${hankDirs.join(', ')}. Name one inside, or start: weave mcp --hanks <dir>`,
  )
}
