import { lstat, mkdir, rename, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CodonExecution, currentRun, type WeaveState } from '@weave/protocol'
import { type CheckpointStore, openCheckpoints, type RestorePlanResult } from './checkpoint/index.ts'
import { type CheckpointSelections, createSelections } from './checkpoint-selections.ts'
import type { Clock } from './kit/index.ts'
import { resolveInside } from './kit/index.ts'
import type { Plan } from './plan/index.ts'
import type { EffectResult, Ports } from './runner/index.ts'
import {
  type CheckpointSelection,
  type ExecutionLayout,
  readArchive,
  restoreArchived,
} from './workspace/index.ts'

export interface CheckpointPortsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly state: () => WeaveState
  readonly warn: (message: string) => void
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
}

export type CheckpointPorts = Pick<
  Ports,
  | 'beforeCodon'
  | 'checkpoint'
  | 'firstCheckpoint'
  | 'restore'
  | 'safetyCheckpoint'
  | 'restoreArchives'
  | 'rigLeftovers'
  | 'cleanRig'
  | 'checkpointTimes'
> & {
  /** What a restore would do. Nothing in the workspace changes. */
  planRestore(sha: string): Promise<RestorePlanResult>
  /** Whether the selected files on the disk are not those of a version. */
  differsFrom(sha: string): Promise<boolean>
  /** Packs the store when much has come together. Ends soon after the signal aborts; never rejects. */
  tidy(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export type OpenedCheckpointPorts =
  | {
      readonly ok: true
      readonly ports: CheckpointPorts
      readonly store: CheckpointStore
      /** The files of all codons that were ever started. */
      readonly selection: () => CheckpointSelection
    }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/** The versions of the workspace, and everything that brings one back. */
export async function openCheckpointPorts(options: CheckpointPortsOptions): Promise<OpenedCheckpointPorts> {
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
  const selections = createSelections(options)
  const first = state().runs[0] ? undefined : await store.safety(beginning(selections.ofPlan()))
  if (first && !first.ok)
    return { ok: false, message: first.message, cure: `Make sure that ${layout.dir} can be written.` }
  const place = { ...options, store, selections }
  return {
    ok: true,
    store,
    selection: selections.ofAll,
    ports: { ...keeping(place, first?.sha), ...goingBack(place) },
  }
}

type Keeping = 'beforeCodon' | 'checkpoint' | 'firstCheckpoint' | 'safetyCheckpoint' | 'tidy' | 'close'

function keeping(place: Place, first: string | undefined): Pick<CheckpointPorts, Keeping> {
  const { store, selections, state, warn } = place
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
      const made = await store.before({ ...who, selection })
      if (!made.ok) throw new Error(`The files that ${runtimeId} begins with cannot be kept: ${made.message}`)
    },
    checkpoint: async (type, step, status) => {
      const run = currentRun(state())
      const made = await store.create({
        type,
        runId: run?.runId ?? '',
        codonId: step.runtimeId,
        codonName: step.codon.name,
        status,
        selection: selections.ofThread(),
        parent: run?.initialCheckpoint,
      })
      if (!made.ok) throw new Error(`The checkpoint of ${step.runtimeId} failed: ${made.message}`)
      for (const { message } of made.notes) warn(message)
      return made.sha
    },
    safetyCheckpoint: async () => {
      const run = currentRun(state())
      const last = run?.codons.at(-1)
      const made = await store.safety({
        ...beginning(selections.ofAll()),
        // An undo finds its way by this.
        ...(run && { runId: run.runId }),
        ...(last && named(last)),
      })
      return made.ok ? { ok: true, sha: made.sha } : made
    },
    tidy: signal => tidy(store, signal),
    close: () => store.close(),
  }
}

function goingBack(place: Place): Omit<CheckpointPorts, Keeping> {
  const { store } = place
  return {
    restore: sha => restore(sha, place),
    planRestore: sha => planTo(sha, place),
    restoreArchives: codons => restoreArchives(codons, place),
    rigLeftovers: (targets, sha) => rigLeftovers(targets, sha, place),
    cleanRig: directories => cleanRig(directories, place),
    checkpointTimes: async shas => {
      const records = await Promise.all(shas.map(sha => store.read(sha)))
      return new Map(records.flatMap(record => (record ? [[record.sha, record.timestamp] as const] : [])))
    },
    differsFrom: async sha => {
      const planned = await planTo(sha, place)
      return !planned.ok || planned.plan.writes.length > 0 || planned.plan.removals.length > 0
    },
  }
}

/** From here on looking for an object in one pack after the other is felt. */
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

/** git does not say why it cannot write. */
async function isFull(directory: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize < leastSpace
  } catch {
    return false
  }
}

const leastSpace = 1024 * 1024

function freeSpace({ dir }: ExecutionLayout): string {
  return `There is no space left on the disk of ${dir}: free some, then start again.`
}

interface Place extends CheckpointPortsOptions {
  readonly store: CheckpointStore
  readonly selections: CheckpointSelections
}

function beginning(selection: CheckpointSelection) {
  return { runId: '', codonId: '', codonName: '', status: 'preparing', selection } as const
}

function named({ codonId, codonName, status }: CodonExecution) {
  return { codonId, codonName, status }
}

async function planTo(
  sha: string,
  { store, selections }: Pick<Place, 'store' | 'selections'>,
): Promise<RestorePlanResult> {
  return store.planRestore(await selections.requestFor(sha, store))
}

async function restore(sha: string, { store, selections, warn }: Place): Promise<EffectResult> {
  const planned = await planTo(sha, { store, selections })
  if (!planned.ok) return planned
  const { plan } = planned
  const done = await store.performRestore(plan)
  for (const { from, to } of done.movedAside) warn(`${from} was in the way of a checkpoint; it is now ${to}.`)
  if (!done.ok) return { ok: false, message: done.message }
  return { ok: true, files: [...plan.create, ...plan.change, ...plan.delete] }
}

async function restoreArchives(
  codons: Parameters<Ports['restoreArchives']>[0],
  { layout, assertHeld }: Place,
): Promise<EffectResult> {
  assertHeld()
  const archive = await readArchive(layout.archiveManifest)
  if (!archive.ok) return archive
  const undone = new Set(codons.map(({ runId, codonId }) => `${runId} ${codonId}`))
  const entries = archive.entries.filter(({ runId, codonId }) => undone.has(`${runId} ${codonId}`))
  const done = await restoreArchived(layout, entries)
  if (!done.ok) return done
  return { ok: true, files: done.restored, notes: done.kept.map(({ message }) => message) }
}

async function rigLeftovers(
  targets: readonly string[],
  sha: string,
  { layout, store, selections }: Place,
): Promise<readonly string[]> {
  const { overlays = [] } = await selections.requestFor(sha, store)
  const layers = await Promise.all(
    [{ sha, takes: () => true }, ...overlays].map(async layer =>
      ((await store.listFiles(layer.sha)) ?? []).filter(({ path }) => layer.takes(path)),
    ),
  )
  const files = layers.flat()
  const held = (target: string) => files.some(({ path }) => path === target || path.startsWith(`${target}/`))
  const wanted = [...new Set(targets.map(normal))].filter(target => target !== '' && !held(target))
  const there = await Promise.all(wanted.map(target => exists(join(layout.agentRoot, target))))
  return wanted.filter((_, at) => there[at])
}

/** Out of the workspace, not out of the world: beside it, where a person can find them again. */
async function cleanRig(
  directories: readonly string[],
  { layout, clock, assertHeld }: Place,
): ReturnType<Ports['cleanRig']> {
  assertHeld()
  const aside = join(layout.internals, 'removed', String(clock.now().getTime()))
  const failures: { directory: string; error: string }[] = []
  for (const directory of directories) {
    try {
      const resolved = resolveInside(layout.agentRoot, directory)
      if (!resolved.ok) throw new Error('it does not lie in the workspace')
      const target = join(aside, directory)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await rename(join(layout.agentRoot, directory), target)
    } catch (error) {
      failures.push({ directory, error: error instanceof Error ? error.message : String(error) })
    }
  }
  return failures
}

function normal(target: string): string {
  return target
    .split('/')
    .filter(name => name !== '' && name !== '.')
    .join('/')
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
