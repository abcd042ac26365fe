import * as z from 'zod'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'

/**
 * `.weave/otel.json`: the last event whose spans a collector has taken, so that a later start sends what came after it, and
 * which spans of other programs started the runs. Only a note: without it everything is sent again, under the same ids.
 */
const noteFile = z.object({
  version: z.literal(1),
  seq: z.int().nonnegative(),
  startedBy: z.record(z.string(), z.string()).optional(),
})

export interface SentNote {
  readonly seq: number
  /** `TRACEPARENT` by run. */
  readonly startedBy: Readonly<Record<string, string>>
}

/** Nothing sent when there is no such file, or none that can be read. Never rejects. */
export async function readSentNote(path: string): Promise<SentNote> {
  const read = await readRegularFile(path, { maxBytes: 1024 * 1024 })
  if (!read.ok) return { seq: 0, startedBy: {} }
  try {
    const { seq, startedBy = {} } = noteFile.parse(JSON.parse(read.bytes.toString('utf8')))
    return { seq, startedBy }
  } catch {
    return { seq: 0, startedBy: {} }
  }
}

/** Rejects with what the disk says. */
export async function writeSentNote(path: string, { seq, startedBy }: SentNote): Promise<void> {
  const known = Object.keys(startedBy).length > 0 ? { startedBy } : {}
  await writeFileAtomic(path, `${JSON.stringify({ version: 1, seq, ...known })}\n`, { mode: 0o600 })
}
