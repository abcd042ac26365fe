import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import {
  createDirectoryChain,
  type DirectoryChain,
  ensureDir,
  fileNameOf,
  type HeldDirectory,
  namesOf,
  openedUp,
  readRegularFile,
  splitPath,
  walk,
} from '../files/index.ts'
import { errorCode, wordsOf } from '../kit/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/**
 * What of a rig's work goes when its codon is undone: the files and directories that it made, as far as they are there
 * and `isHeld` does not say that the version to go back to has them. A directory is named as a whole when everything in
 * it goes. Changes nothing. Rejects with the system's error.
 */
export async function rigLeftovers(
  { agentRoot }: Pick<ExecutionLayout, 'agentRoot'>,
  entries: readonly RigEntry[],
  isHeld: (path: string) => boolean,
): Promise<readonly string[]> {
  const chain = createDirectoryChain(agentRoot)
  try {
    const made = entries.filter(entry => entry.made && !isHeld(entry.path) && isAsMade(entry, chain))
    const goes = new Set(made.map(({ path }) => path))
    const whole: string[] = []
    const isBelowWhole = (path: string) => whole.some(directory => path.startsWith(`${directory}/`))
    const byPath = made.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    for (const { path, kind } of byPath) {
      if (kind !== 'directory' || isBelowWhole(path)) continue
      if (await isAllBelow(join(agentRoot, path), path, goes)) whole.push(path)
    }
    const files = byPath.filter(({ path, kind }) => kind === 'file' && !isBelowWhole(path))
    return [...whole, ...files.map(({ path }) => path)].sort()
  } finally {
    chain.close()
  }
}

/**
 * Out of the workspace, not out of the world: into `movedTo` beside it, each under its old path, where a person finds it
 * again. Never throws.
 */
export function moveOutOfWorkspace(
  { agentRoot, internals }: Pick<ExecutionLayout, 'agentRoot' | 'internals'>,
  paths: readonly string[],
  now: Date,
) {
  const movedTo = join(internals, 'removed', String(now.getTime()))
  const failures: { directory: string; error: string }[] = []
  const chain = createDirectoryChain(agentRoot)
  try {
    for (const path of paths) {
      try {
        const { parent, name } = splitPath(path)
        const directory = chain.mustEnter(namesOf(parent))
        const target = join(movedTo, path)
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
        moveInto(directory, name, target)
      } catch (error) {
        failures.push({ directory: path, error: wordsOf(error) })
      }
    }
  } finally {
    chain.close()
  }
  return { movedTo, failures }
}

/** A directory that is closed for writing cannot change its parent: it is opened up on the way, and closed again there. */
function moveInto(directory: HeldDirectory, name: string, target: string): void {
  const move = () => openedUp(directory.self, () => renameSync(directory.at(name), target))
  const { mode } = lstatSync(directory.at(name))
  try {
    move()
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    chmodSync(directory.at(name), (mode & 0o7777) | 0o700)
    move()
    chmodSync(target, mode & 0o7777)
  }
}

/** Still of the kind that was made, and no link on the way to it. */
function isAsMade({ path, kind }: RigEntry, chain: DirectoryChain): boolean {
  const entered = chain.reach(path)
  const stats = entered.ok
    ? lstatSync(entered.directory.at(entered.name), { throwIfNoEntry: false })
    : undefined
  return kind === 'directory' ? stats?.isDirectory() === true : stats?.isFile() === true
}

async function isAllBelow(directory: string, path: string, goes: ReadonlySet<string>): Promise<boolean> {
  for await (const item of walk(directory, caps))
    if (item.kind !== 'entry' || !goes.has(`${path}/${item.path}`)) return false
  return true
}

const caps = { maxEntries: 2_000_000, maxDepth: 130 }

/**
 * What the copies of a codon's rig put into the workspace, written down as they do it: a rollback takes away what they made
 * and nothing else. One file for each codon, through all attempts and runs, until a rollback has cleaned up after it. An
 * entry is on record before it is in the workspace, so that a kill leaves nothing that is not.
 */
const entryShape = z.object({
  /** Relative to the workspace, with `/`. */
  path: z.string(),
  kind: z.enum(['file', 'directory']),
  /** Nothing was there before. */
  made: z.boolean(),
})
export type RigEntry = Readonly<z.infer<typeof entryShape>>

const lineShape = z.union([entryShape, z.object({ gone: z.string() })])

/** Rejects with the system's error; so do its parts throw. */
export async function openRigRecord(layout: ExecutionLayout, codonId: string) {
  const path = fileOf(layout, codonId)
  await ensureDir(dirname(path))
  const fd = openSync(path, flags, 0o600)
  const put = new Set<string>()
  const write = (line: z.infer<typeof lineShape>): void => void writeSync(fd, `${JSON.stringify(line)}\n`)
  return {
    add(entry: RigEntry): void {
      write(entry)
      put.add(entry.path)
    },
    /** The rig has ended: what its own commands took away again is not missing later. */
    close(): void {
      try {
        for (const path of put) if (!isThere(join(layout.agentRoot, path))) write({ gone: path })
      } finally {
        closeSync(fd)
      }
    },
  }
}

const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

/** What is on record for a codon, each path once. A line that a kill cut off is passed over. Never rejects. */
export async function readRigRecord(layout: ExecutionLayout, codonId: string): Promise<readonly RigEntry[]> {
  const read = await readRegularFile(fileOf(layout, codonId), { maxBytes: 256 << 20 })
  if (!read.ok) return []
  const entries = new Map<string, RigEntry>()
  for (const text of read.bytes.toString('utf8').split('\n')) {
    const line = lineOf(text)
    if (!line) continue
    if ('gone' in line) entries.delete(line.gone)
    else entries.set(line.path, { ...line, made: line.made || entries.get(line.path)?.made === true })
  }
  return [...entries.values()]
}

/** A rollback has cleaned up after the codon. Throws the system's error. */
export function forgetRigRecord(layout: ExecutionLayout, codonId: string): void {
  rmSync(fileOf(layout, codonId), { force: true })
}

function lineOf(text: string): z.infer<typeof lineShape> | undefined {
  try {
    return lineShape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function fileOf({ internals }: ExecutionLayout, codonId: string): string {
  return join(internals, 'rigs', `${fileNameOf(codonId)}.jsonl`)
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
