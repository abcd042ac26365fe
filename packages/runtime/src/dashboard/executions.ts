import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import type { ExecutionRow } from '@weave/protocol'
import { createSerialQueue } from '../kit/index.ts'
import { type ExecutionLayout, executionLayout } from '../workspace/index.ts'
import type { Executions, NamedPlace } from './job.ts'
import { type KnownRow, readRow } from './row.ts'

export interface ListText {
  readonly etag: string
  /** The answer as it is sent. */
  readonly bytes: Buffer
}

interface Kept extends KnownRow {
  /** Changes when anything of it may have changed. */
  readonly stamp: string
}

/** All executions of a host. What did not change since the last list is not read again. */
export function createExecutionIndex() {
  let kept: ReadonlyMap<string, Kept> = new Map()
  let last: ListText | undefined
  const lists = createSerialQueue()

  const read = async (of: Executions): Promise<ListText> => {
    const next = new Map<string, Kept>()
    let isNew = false
    for (const place of placesIn(of)) {
      const layout = executionLayout(place.dir)
      const stamp = stampOf(layout)
      if (stamp === undefined) continue
      const known = kept.get(place.dir)
      // Whoever was killed leaves no sign: a run that goes on is looked at each time.
      const isSame = known?.stamp === stamp && !known.row.live && !known.isBehind
      isNew ||= !isSame
      next.set(place.dir, isSame ? known : { ...(await readRow(place, layout, known)), stamp })
    }
    isNew ||= next.size !== kept.size
    kept = next
    if (last && !isNew) return last
    last = textOf([...next.values()].map(({ row }) => row).sort(byLiveThenNewest))
    return last
  }
  return {
    /** Live ones first, then the newest. One list at a time: who comes meanwhile has most of it read already. Never rejects. */
    list: (of: Executions): Promise<ListText> => lists.run(() => read(of)),
  }
}

function placesIn(of: Executions): readonly NamedPlace[] {
  if ('only' in of) return [of.only]
  try {
    return readdirSync(of.base, { withFileTypes: true }).flatMap(({ name }) => [
      { name, dir: `${of.base}${sep}${name}` },
    ])
  } catch {
    return []
  }
}

/** Whoever takes or leaves an execution writes its lock or its state, which changes the time of their folder. Undefined: it is none of ours. */
function stampOf({ internals }: ExecutionLayout): string | undefined {
  const folder = statSync(internals, { throwIfNoEntry: false })
  return folder?.isDirectory() ? String(folder.mtimeMs) : undefined
}

function byLiveThenNewest(left: ExecutionRow, right: ExecutionRow): number {
  if (left.live !== right.live) return left.live ? -1 : 1
  if (left.startedAt !== right.startedAt) return left.startedAt < right.startedAt ? 1 : -1
  return left.name < right.name ? 1 : -1
}

function textOf(executions: readonly ExecutionRow[]): ListText {
  const rows = JSON.stringify(executions)
  const etag = createHash('sha256').update(rows).digest('base64url').slice(0, 22)
  return { etag, bytes: Buffer.from(`{"etag":"${etag}","executions":${rows}}\n`) }
}
