import { createHash } from 'node:crypto'
import { type WeaveState, weaveState } from '@weave/protocol'
import * as z from 'zod'
import { readRegularFile, writeFileAtomicSync } from '../files/index.ts'

/**
 * `state.json`: the state as of one event, so that a start need not read the whole journal. Written whole or not at all;
 * its digest tells a torn or flipped file from a good one.
 */
export interface CachedState {
  readonly state: WeaveState
  readonly lastSeq: number
  readonly lastId: string
}

const version = 1
/** The state is checked but handed on as it is, so that the digest of what was read can be taken. */
const cacheFile = z.object({
  sha256: z.string(),
  body: z.object({
    version: z.literal(version),
    lastSeq: z.int().nonnegative(),
    lastId: z.string(),
    state: z.custom<WeaveState>(value => weaveState.safeParse(value).success),
  }),
})

const maxBytes = 512 * 1024 * 1024

/** Throws what the disk throws; the old file is then still there. */
export function writeStateCache(path: string, { state, lastSeq, lastId }: CachedState): void {
  const body = JSON.stringify({ version, lastSeq, lastId, state })
  writeFileAtomicSync(path, `{"sha256":"${digest(body)}","body":${body}}\n`)
}

/** Undefined for anything but a whole file of this version. Never throws. */
export async function readStateCache(path: string): Promise<CachedState | undefined> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok) return undefined
  try {
    const { sha256, body } = cacheFile.parse(JSON.parse(read.bytes.toString('utf8')))
    if (digest(JSON.stringify(body)) !== sha256) return undefined
    const { state, lastSeq, lastId } = body
    return { state, lastSeq, lastId }
  } catch {
    return undefined
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
