import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openCheckpoints } from '../checkpoint/index.ts'
import { walk } from '../files/index.ts'
import { createScope, messageOf, type Scope } from '../kit/index.ts'
import { type ExecutionLayout, readLock } from '../workspace/index.ts'
import { holdPlace, type PlaceOptions } from './open.ts'

/** Bytes that an execution holds. */
export interface Holdings {
  readonly journal: number
  readonly checkpoints: number
  readonly sessions: number
  /** What the agent SDKs keep. */
  readonly agents: number
  /** Rig copies that rollbacks moved out of the workspace. */
  readonly removed: number
  readonly archive: number
  /** Where agents work; data that is linked there is not counted. */
  readonly workspace: number
}

export type Tidied =
  | { readonly ok: true; readonly before: Holdings; readonly after: Holdings }
  /** Nothing was changed. */
  | { readonly ok: false; readonly message: string; readonly before: Holdings }

export interface TidyOptions extends PlaceOptions {
  /** Drops what no checkpoint refers to and is older; absent: nothing is dropped. */
  readonly pruneOlderThanMs?: number | undefined
}

/** Packs the checkpoints of an execution and says what it holds. One that somebody works in is not touched. Never rejects. */
export async function tidyExecution(options: TidyOptions): Promise<Tidied> {
  const { layout, clock } = options
  const before = await holdingsOf(layout)
  const lock = await readLock(layout.lockFile, clock)
  if (lock.kind === 'held') return { ok: false, message: 'A run is going on.', before }
  const scope = createScope()
  try {
    const held = await holdPlace(options, scope)
    if (!held.ok) return { ok: false, message: held.message, before }
    const done = await tidy(options, { scope, assertHeld: held.lock.assertHeld })
    if (!done.ok) return { ...done, before }
  } catch (error) {
    return { ok: false, message: messageOf(error), before }
  } finally {
    await scope.close()
  }
  return { ok: true, before, after: await holdingsOf(layout) }
}

async function tidy(
  { layout, clock, environment, pruneOlderThanMs }: TidyOptions,
  { scope, assertHeld }: { readonly scope: Scope; readonly assertHeld: () => void },
) {
  const gitDir = layout.checkpoints
  if (!existsSync(gitDir)) return { ok: true } as const
  const workTree = layout.agentRoot
  const opened = await openCheckpoints({ gitDir, workTree, clock, environment, assertHeld })
  if (!opened.ok) return opened
  const { store } = opened
  scope.add('checkpoints', () => store.close())
  if (pruneOlderThanMs !== undefined) return store.prune({ olderThanMs: pruneOlderThanMs })
  const { packs, loose } = await store.size()
  return packs <= 1 && loose === 0 ? ({ ok: true } as const) : store.pack()
}

/** What an execution takes of the disk. */
export async function holdingsOf(layout: ExecutionLayout): Promise<Holdings> {
  const { journal, checkpoints, sessions, agents, internals, rigArchive, agentRoot } = layout
  const places = [journal, checkpoints, sessions, agents, join(internals, 'removed'), rigArchive, agentRoot]
  const sizes = await Promise.all(places.map(bytesIn))
  const [
    inJournal = 0,
    inCheckpoints = 0,
    inSessions = 0,
    inAgents = 0,
    removed = 0,
    archive = 0,
    workspace = 0,
  ] = sizes
  return {
    journal: inJournal,
    checkpoints: inCheckpoints,
    sessions: inSessions,
    agents: inAgents,
    removed,
    archive,
    workspace,
  }
}

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0
  const limits = { maxEntries: Number.POSITIVE_INFINITY, maxDepth: 200 }
  for await (const item of walk(directory, limits)) {
    if (item.kind === 'entry' && !item.stats.isDirectory()) bytes += item.stats.size
  }
  return bytes
}
