import { createHash } from 'node:crypto'
import { type WeaveState, weaveState } from '@weave/protocol'
import { readRegularFile, writeFileAtomicSync } from '../kit/index.ts'

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
    const { sha256, body } = JSON.parse(read.bytes.toString('utf8'))
    if (body.version !== version || digest(JSON.stringify(body)) !== sha256) return undefined
    const state = weaveState.safeParse(body.state)
    return state.success ? { state: body.state, lastSeq: body.lastSeq, lastId: body.lastId } : undefined
  } catch {
    return undefined
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
