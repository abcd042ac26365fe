import * as z from 'zod'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'

const count = z.int().nonnegative()

/** `origin.json`: where an execution comes from that did not begin by itself. Programs that do not know it do without. */
const forkOrigin = z.looseObject({
  version: z.literal(1),
  kind: z.literal('fork'),
  /** Of the execution with whose events its journal begins. */
  id: z.string(),
  from: z.object({ name: z.string(), createdAt: z.string(), hankHash: z.string() }),
  at: z.object({
    runId: z.string(),
    codonId: z.string(),
    type: z.string(),
    sha: z.string(),
    seq: count,
  }),
  /** The lines of its journal that are the other's. */
  prefix: z.object({ events: count, sha256: z.string() }),
  /** The event with the plan that took over; absent: it has the plan of the other. */
  planSeq: count.optional(),
  /** What the other had spent until then, in dollars. */
  inheritedCost: z.number(),
  hankHash: z.string(),
  /** SHA-256 of the files with prompts, by their paths in the folder of the hank. */
  files: z.record(z.string(), z.string()),
  /** In conversations: files with mentions of the other's workspace, mentions that were changed, and that had to stay. */
  rewritten: z.object({ files: count, places: count, left: count }),
  madeAt: z.string(),
  weaveVersion: z.string(),
})

export type ForkOrigin = Readonly<z.infer<typeof forkOrigin>>

const maxBytes = 16 * 1024 * 1024

/** Undefined when there is none, or none that can be read. Never rejects. */
export async function readOrigin(path: string): Promise<ForkOrigin | undefined> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok) return undefined
  try {
    return forkOrigin.safeParse(JSON.parse(read.bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}

/** Not synced: it is a part of what is made whole before anyone knows of it. Rejects with the system's error. */
export async function writeOrigin(path: string, origin: ForkOrigin): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(origin, undefined, 2)}\n`, { mode: 0o600, syncs: false })
}
