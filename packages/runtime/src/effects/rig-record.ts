import { closeSync, constants, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { ensureDir, fileNameOf, readRegularFile } from '../files/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

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

export interface RigRecorder {
  /** Throws the system's error. */
  add(entry: RigEntry): void
  /** The rig has ended: what its own commands took away again is not missing later. Throws the system's error. */
  close(): void
}

/** Rejects with the system's error. */
export async function openRigRecord(layout: ExecutionLayout, codonId: string): Promise<RigRecorder> {
  await ensureDir(folderOf(layout))
  const fd = openSync(fileOf(layout, codonId), flags, 0o600)
  const put = new Set<string>()
  const write = (line: z.infer<typeof lineShape>): void => void writeSync(fd, `${JSON.stringify(line)}\n`)
  return {
    add(entry) {
      write(entry)
      put.add(entry.path)
    },
    close() {
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

function folderOf({ internals }: ExecutionLayout): string {
  return join(internals, 'rigs')
}

function fileOf(layout: ExecutionLayout, codonId: string): string {
  return join(folderOf(layout), `${fileNameOf(codonId)}.jsonl`)
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
