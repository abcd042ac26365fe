import { currentRun } from '@weave/protocol'
import { type CheckpointStore, openCheckpoints } from '../checkpoint/index.ts'
import { createDiskSync } from '../files/index.ts'
import type { Failure, Refused } from '../kit/index.ts'
import type { CheckpointEffects, Effects, RollbackEffects } from '../runner/index.ts'
import type { ScanObserver, Selection, WorkspaceWatch } from '../tree/index.ts'
import { type Activities, during } from './activity.ts'
import {
  type CheckpointEffectsOptions,
  createRecovering,
  createRollbackEffects,
  freeSpace,
  isFull,
  type Recovering,
  type VersionPlace,
  withoutCodon,
} from './rollback-effects.ts'
import { createSelections } from './selections.ts'

/** What the watch of the workspace shares with the checkpoints. */
export interface Scanning {
  /** `checkpoint` with an observer that gets what is stored, as it is read. */
  checkpointWith(observer: ScanObserver | undefined): CheckpointEffects['checkpoint']
  /** The patterns of the codons that the present lineage has started: what a checkpoint selects. */
  patterns(): readonly (readonly string[])[]
  /** The time of the file system of the workspace. Throws the system's error. */
  fileTime(): number
}

export interface OpenedCheckpoints {
  readonly ok: true
  readonly checkpoints: Omit<CheckpointEffects, 'checkpoint'>
  readonly rollback: RollbackEffects
  readonly recovering: Recovering
  readonly scanning: Scanning
  readonly store: CheckpointStore
  /** The files of all codons that were ever started. */
  readonly selection: () => Selection
  /** Packs the store when much has come together. Ends soon after the signal aborts; never rejects. */
  tidy(signal: AbortSignal): Promise<void>
}

/** The versions of the workspace, and everything that brings one back. */
export async function openCheckpointEffects(
  options: CheckpointEffectsOptions,
): Promise<OpenedCheckpoints | Refused<Failure>> {
  const { layout, clock, environment, state } = options
  const opened = await openCheckpoints({
    gitDir: layout.checkpoints,
    workTree: layout.agentRoot,
    clock,
    environment,
    assertHeld: options.assertHeld,
  })
  if (!opened.ok) return (await isFull(layout.dir)) ? { ...opened, cure: freeSpace(layout) } : opened
  const { store } = opened
  const gone = await goneStore(options, store)
  if (gone) {
    await store.close()
    return gone
  }
  const selections = createSelections(options)
  const first = state().runs[0]
    ? undefined
    : await storing({ activities: options.activities }, onProgress =>
        store.safety({ ...withoutCodon(selections.ofPlan()), onProgress }),
      )
  if (first && !first.ok)
    return { ok: false, message: first.message, cure: `Make sure that ${layout.dir} can be written.` }
  const syncFiles = createDiskSync([layout.agentRoot, layout.internals], environment)
  const place = { ...options, store, selections, syncFiles }
  const scanning: Scanning = {
    checkpointWith: observer => checkpointWith(place, observer),
    patterns: selections.listsOfThread,
    fileTime: opened.fileSystem.now,
  }
  return {
    ok: true,
    store,
    selection: selections.ofAll,
    checkpoints: checkpointEffects(place, first?.sha),
    rollback: createRollbackEffects(place),
    recovering: createRecovering(place),
    scanning,
    tidy: signal => during(options.activities, packing, () => tidy(store, signal)),
  }
}

/**
 * A state that names checkpoints which are not there: the store was removed or replaced. Said before anything is started,
 * since every codon ends with a checkpoint that goes on from the last one. The first and the newest stand for all.
 */
async function goneStore({ layout, state }: CheckpointEffectsOptions, store: CheckpointStore) {
  const { runs } = state()
  const named = runs.flatMap(({ initialCheckpoint, codons }) => [
    ...(initialCheckpoint === undefined ? [] : [initialCheckpoint]),
    ...codons.flatMap(({ checkpoints }) => Object.values(checkpoints)),
  ])
  for (const sha of new Set([named[0], named.at(-1)])) {
    if (sha === undefined || (await store.read(sha))) continue
    return {
      ok: false,
      message: `The checkpoints of ${layout.dir} are gone: ${layout.checkpoints} does not have ${sha.slice(0, 8)}, which the journal names.`,
      cure: `Restore ${layout.checkpoints} from a backup; or begin another execution with --start-new.`,
    } as const
  }
  return undefined
}

function checkpointEffects(place: VersionPlace, first: string | undefined): OpenedCheckpoints['checkpoints'] {
  const { store, selections, state } = place
  return {
    firstCheckpoint: () => first ?? state().runs[0]?.initialCheckpoint,
    beforeCodon: async ({ runtimeId, codon }) => {
      const run = currentRun(state())
      if (!run || !selections.widens()) return
      const selection = selections.ofThread()
      const who = {
        runId: run.runId,
        codonId: runtimeId,
        codonName: codon.name,
        status: 'preparing',
      } as const
      const made = await storing({ ...place, codonId: runtimeId }, onProgress =>
        store.before({ ...who, selection, onProgress }),
      )
      if (!made.ok) throw new Error(`The files that ${runtimeId} begins with cannot be kept: ${made.message}`)
    },
    checkpointTimes: async shas => {
      const records = await Promise.all(shas.map(sha => store.read(sha)))
      return new Map(records.flatMap(record => (record ? [[record.sha, record.timestamp] as const] : [])))
    },
  }
}

function checkpointWith(
  { store, selections, state, warn, syncFiles, activities }: VersionPlace,
  observer: ScanObserver | undefined,
): CheckpointEffects['checkpoint'] {
  return async (type, at, status) => {
    const run = currentRun(state())
    const request = {
      type,
      runId: run?.runId ?? '',
      codonId: at.runtimeId,
      codonName: at.codon.name,
      status,
      selection: selections.ofThread(),
      parent: run?.initialCheckpoint,
      observer,
    }
    const isEnd = type !== 'rig-setup'
    const made = await storing({ activities, codonId: at.runtimeId }, async onProgress => {
      const [created] = await Promise.all([
        store.create({ ...request, onProgress }),
        isEnd ? syncFiles() : undefined,
      ])
      return created
    })
    if (!made.ok) throw new Error(`The checkpoint of ${at.runtimeId} failed: ${made.message}`)
    for (const { message } of made.notes) warn(message)
    return made.sha
  }
}

interface StoringActivity {
  readonly activities: Activities
  readonly codonId?: string
}

/** The work of a checkpoint: first the files are scanned, then those that are new or changed are stored. */
function storing<Result>(
  { activities, codonId }: StoringActivity,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const about = codonId === undefined ? {} : { codonId }
  const step = { phase: 'checkpoint', ...about, text: 'checkpoint: scanning files' } as const
  return during(activities, step, activity =>
    work((done, total) => activity.update({ text: 'checkpoint: storing files', done, total })),
  )
}

const packing = { phase: 'pack', text: 'packing checkpoints' } as const

/**
 * What a codon's files need: one scan is both emitted and stored, so that clients are told what a checkpoint holds before
 * they are told of the checkpoint. So they can tell what a rig made from what its codon made.
 */
export function emittedCheckpoints(
  { checkpoints, scanning }: Pick<OpenedCheckpoints, 'checkpoints' | 'scanning'>,
  watch: WorkspaceWatch,
): Pick<Effects, 'checkpoints' | 'files'> {
  return {
    checkpoints: {
      ...checkpoints,
      checkpoint: (type, at, status) =>
        watch.settleThrough(observer => scanning.checkpointWith(observer)(type, at, status)),
    },
    files: {
      watch: async () => void (await watch.addPatterns(...scanning.patterns())),
      settleFiles: async () => void (await watch.settle()),
      hintFiles: () => watch.hint(),
      fileTree: () => watch.tree(),
    },
  }
}

/** From here on a lookup that tries one pack after the other is noticeably slow. */
const manyPacks = 24

/** Unharmed by an abort: the old packs go when the new one is there. A failure costs space only. */
async function tidy(store: CheckpointStore, signal: AbortSignal): Promise<void> {
  try {
    const { packs } = await store.size()
    if (packs >= manyPacks) await store.pack(signal)
  } catch {
    // Out of time.
  }
}
