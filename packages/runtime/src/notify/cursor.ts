import { createHash } from 'node:crypto'
import * as z from 'zod'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'
import type { NotifyTarget } from './config.ts'

/**
 * `.weave/notified.json`: up to which event each target was told. Who is killed before it is written tells it again, under
 * the same id, rather than never.
 */
const noteFile = z.object({
  version: z.literal(1),
  targets: z.record(z.string(), z.int().nonnegative()),
})

export type Cursors = Readonly<Record<string, number>>

/** Nothing when there is no such file, or none that can be read. Never rejects. */
export async function readCursors(path: string): Promise<Cursors> {
  const read = await readRegularFile(path, { maxBytes: 1024 * 1024 })
  if (!read.ok) return {}
  try {
    return noteFile.parse(JSON.parse(read.bytes.toString('utf8'))).targets
  } catch {
    return {}
  }
}

/** Rejects with what the disk says. */
export async function writeCursors(path: string, targets: Cursors): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify({ version: 1, targets })}\n`, { mode: 0o600 })
}

/** What makes a target another one: an address may be a secret, so it does not stand in the file. */
export function targetKey(target: NotifyTarget): string {
  const { type } = target
  const own = type === 'webhook' ? target.url : type === 'command' ? target.run : ''
  return `${type}-${createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 16)}`
}
