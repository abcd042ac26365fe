import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckpointStore } from '../checkpoint/index.ts'
import {
  type CopySource,
  copyIntoWorkspace,
  forgetRigRecord,
  moveOutOfWorkspace,
  readRigRecord,
  resolveCopyTarget,
  rigLeftovers,
} from '../effects/index.ts'
import { type Reference, resolveReference, scanCopiedTree, treeMessage } from '../hank/index.ts'
import { type Clock, wordsOf } from '../kit/index.ts'
import { codonAt, find, type Plan, type PlannedCodon } from '../plan/index.ts'
import type { RigCleanup } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { CheckpointSelections } from './selections.ts'

export interface RigPlace {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly clock: Clock
  readonly store: CheckpointStore
  readonly selections: CheckpointSelections
  readonly warn: (message: string) => void
}

/** Looks again at what will be copied: it may have changed since the hank was checked. */
export async function copySource(hankDir: string, from: string, codonId: string): Promise<CopySource> {
  const reference: Reference = { path: from, label: `Codon ${codonId}: copy.from` }
  const resolved = resolveReference(hankDir, reference)
  if (!resolved.ok) return resolved
  const [finding] = await scanCopiedTree(resolved.path)
  return finding
    ? { ok: false, message: treeMessage(finding, from, reference.label) }
    : { ok: true, path: resolved.path }
}

/** What the rig of a codon made, and a version does not hold. Nothing changes. */
export async function leftoversOf(codonId: string, sha: string, place: RigPlace): Promise<readonly string[]> {
  const entries = await readRigRecord(place.layout, codonId)
  if (entries.length === 0) return []
  const { store, selections } = place
  const { overlays = [] } = await selections.requestFor(sha, store)
  const files: string[] = []
  for (const { sha: version, takes } of [{ sha, takes: () => true }, ...overlays])
    for (const { path } of (await store.listFiles(version)) ?? []) if (takes(path)) files.push(path)
  const held = withParents(files)
  return rigLeftovers(place.layout, entries, path => held.has(path))
}

/** Takes what a rig made out of the workspace without destroying it. Never rejects. */
export async function cleanRig(
  codonId: string,
  paths: readonly string[],
  { layout, clock }: RigPlace,
): Promise<RigCleanup> {
  const done = moveOutOfWorkspace(layout, paths, clock.now())
  if (done.failures.length === 0) forgetRigRecord(layout, codonId)
  return done
}

/** What copies of a codon's rig had put into the workspace and is not there now. */
export async function missingOf(
  codonId: string,
  { layout }: Pick<RigPlace, 'layout'>,
): Promise<readonly string[]> {
  const entries = await readRigRecord(layout, codonId)
  return entries
    .map(({ path }) => path)
    .filter(path => !lstatSync(join(layout.agentRoot, path), { throwIfNoEntry: false }))
}

/** Copies that anew, from where the rig had it. What cannot be copied becomes a warning. Never rejects. */
export async function putBackRig(
  codonId: string,
  place: Pick<RigPlace, 'plan' | 'layout' | 'warn'>,
): Promise<readonly string[]> {
  const { plan, layout, warn } = place
  const missing = new Set(await missingOf(codonId, place))
  const copies = missing.size === 0 ? [] : copiesOf(plan, codonId)
  for (const { from, to } of copies) {
    try {
      const target = resolveCopyTarget(layout.agentRoot, to)
      const source = target.ok ? await copySource(plan.hankDir, from, codonId) : target
      if (!target.ok || !source.ok) throw new Error(source.ok ? '' : source.message)
      await copyIntoWorkspace(
        {
          source: source.path,
          agentRoot: layout.agentRoot,
          target: target.components,
          scratch: join(layout.internals, 'scratch'),
          wants: path => missing.has(path),
        },
        { files: 0, bytes: 0 },
      )
    } catch (error) {
      warn(`What the rig of ${codonId} copied to ${to} is not all there any more: ${wordsOf(error)}`)
    }
  }
  const left = new Set(await missingOf(codonId, place))
  return [...missing].filter(path => !left.has(path))
}

function copiesOf(plan: Plan, codonId: string) {
  const position = find(plan, codonId)
  const rig: PlannedCodon['rig'] = (position && codonAt(plan, position)?.codon.rig) ?? []
  return rig.flatMap(operation => (operation.type === 'copy' ? [operation.copy] : []))
}

/** Paths, and the directories in which they lie. */
export function withParents(paths: readonly string[]): ReadonlySet<string> {
  const all = new Set(paths)
  for (const path of paths) {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      if (all.has(path.slice(0, cut))) break
      all.add(path.slice(0, cut))
    }
  }
  return all
}
