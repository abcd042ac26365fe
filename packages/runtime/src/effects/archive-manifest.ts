import * as z from 'zod'
import { readRegularFile, wordsOf, writeFileAtomic } from '../files/index.ts'

/**
 * One file of an archive. `moving` and `restoring` are intents that were not finished: the file is then in one of its two
 * places or, whole, in both. `archived`: it is at `to`.
 */
const archiveEntry = z.strictObject({
  /** The runtime id of a codon, or the id of a loop. */
  owner: z.string(),
  /** Relative to the agent workspace, with `/`. */
  from: z.string(),
  /** Relative to `rigArchive/`, with `/`; never used twice. */
  to: z.string(),
  kind: z.enum(['file', 'symlink']),
  /** Of the bytes; of a link, of where it points. */
  sha256: z.string(),
  mode: z.int(),
  movedAt: z.iso.datetime(),
  runId: z.string(),
  /** The codon whose end set it off; for a loop, the last one. */
  codonId: z.string(),
  state: z.enum(['moving', 'archived', 'restoring']),
})
export type ArchiveEntry = Readonly<z.infer<typeof archiveEntry>>

const manifest = z.strictObject({ version: z.literal(1), entries: z.array(archiveEntry) })

export type ArchiveRead =
  | { readonly ok: true; readonly entries: readonly ArchiveEntry[] }
  | { readonly ok: false; readonly message: string }

/** No file is an empty archive. A damaged one is a failure: to go on without it would be to forget files. Never rejects. */
export async function readArchive(path: string): Promise<ArchiveRead> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok)
    return read.reason === 'missing' ? { ok: true, entries: [] } : { ok: false, message: read.message }
  try {
    return { ok: true, entries: manifest.parse(JSON.parse(read.bytes.toString('utf8'))).entries }
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : wordsOf(error)
    return { ok: false, message: `${path} is damaged: ${why}` }
  }
}

/** Rejects with the system's error; then the old manifest is still there. */
export async function writeArchive(path: string, entries: readonly ArchiveEntry[]): Promise<void> {
  const lines = entries.map(entry => JSON.stringify(entry)).join(',\n')
  await writeFileAtomic(path, `{"version":1,"entries":[\n${lines}\n]}\n`)
}

const maxBytes = 256 << 20
