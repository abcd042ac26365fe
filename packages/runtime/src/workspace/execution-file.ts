import { dirname } from 'node:path'
import * as z from 'zod'
import { type AtomicWriteOptions, readRegularFile, writeFileAtomic } from '../files/index.ts'
import {
  fieldOf,
  formatProblem,
  numberOf,
  type Problem,
  parseJsonSource,
  shapeProblems,
} from '../kit/index.ts'

const time = z.iso.datetime()
const linkType = z.enum(['symlink', 'copy', 'none'])

const executionShape = z.strictObject({
  version: z.literal(1),
  hankPath: z.string(),
  hankHash: z.string(),
  hankName: z.string(),
  dataPath: z.string().nullable(),
  dataHash: z.string(),
  linkType,
  createdAt: time,
  lastUsed: time,
  weaveVersion: z.string(),
  node: z.string(),
  platform: z.string(),
  rehearsal: z.literal(true).optional(),
})

/** How the data got into the workspace. */
export type LinkType = z.infer<typeof linkType>

/** `execution.json`: what an execution is. `dataPath` is null when there is no data. */
export type ExecutionFile = Readonly<z.infer<typeof executionShape>>

export type ExecutionFileResult =
  | { readonly kind: 'read'; readonly file: ExecutionFile }
  | { readonly kind: 'missing' }
  /** Everything else of the execution may be well; `cure` says what a person can do. */
  | { readonly kind: 'damaged'; readonly message: string; readonly cure: string }

const maxBytes = 1024 * 1024

/** Never rejects. */
export async function readExecutionFile(path: string): Promise<ExecutionFileResult> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok && read.reason === 'missing') return { kind: 'missing' }
  if (!read.ok) return damaged(path, read.message)
  const source = parseJsonSource(read.bytes, { file: path, maxBytes })
  if (!source.ok) return damaged(path, firstOf(source.problems, path))
  const checked = executionShape.safeParse(source.value)
  if (checked.success) return { kind: 'read', file: checked.data }
  if ((numberOf(fieldOf(source.value, 'version')) ?? 1) > 1) {
    const message = `${path} was written by a later version of weave`
    return { kind: 'damaged', message, cure: 'Use that version or a newer one' }
  }
  const options = { family: 'execution', schema: executionShape }
  return damaged(path, firstOf(shapeProblems(checked.error, source, options), path))
}

/** Whole or not at all, readable by the owner only. Rejects with the system's error. */
export async function writeExecutionFile(
  path: string,
  file: ExecutionFile,
  options: Pick<AtomicWriteOptions, 'syncs'> = {},
): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`, { ...options, mode: 0o600 })
}

/** The only ways out when the file is gone or damaged: nothing else says which hank and data it was. */
export function cureFor(path: string): string {
  const dir = dirname(dirname(path))
  return `Restore ${path} from a backup; or start anew in the same directory with --start-new --force -e ${dir}, which keeps what is in .weave/ as .weave.backup-<timestamp>`
}

function damaged(path: string, reason: string): ExecutionFileResult {
  return { kind: 'damaged', message: `the file is damaged: ${reason}`, cure: cureFor(path) }
}

function firstOf([first]: readonly Problem[], path: string): string {
  return first ? formatProblem(first) : path
}
