import { mkdir, rename } from 'node:fs/promises'
import { checkGit, cloneStore, readVersions } from '../checkpoint/index.ts'
import { createSelections, putBackRig } from '../execution/index.ts'
import { beginDiskSync } from '../files/index.ts'
import type { Failure, Refused, Result } from '../kit/index.ts'
import { installData, prepareData } from '../workspace/index.ts'
import { createNames, type Names, noNames } from './files-ahead.ts'
import { type Papers, writePapers } from './fork-papers.ts'
import { keptRefs } from './fork-refs.ts'
import type { ForkWish, Making } from './fork-wish.ts'
import { copyLinks, copyUntracked, type Untracked, untrackedIn } from './fork-workspace.ts'

type Filled =
  | (Extract<Papers, { readonly ok: true }> & {
      /**
       * What is told of the files that stay behind. To look for them takes as long as to sync the fork, and needs nothing of it.
       * Rejects with the system's error.
       */
      untrackedNotes(): Promise<readonly string[]>
    })
  | Refused<Failure>

/**
 * Everything of the fork, in the directory in which it is made. Nothing is synced by itself: a fork is on the disk as a
 * whole before it has its name, and one by one a dozen small files take as long as all of them. Rejects with the system's
 * error.
 */
export async function fill(making: Making): Promise<Filled> {
  const { place, wish, point, part } = making
  const plan = wish.takeover?.plan ?? point.plans[0] ?? place.plan
  for (const path of [part.internals, part.agentRoot, part.agents, part.logs])
    await mkdir(path, { mode: 0o700 })
  // While git writes the files in processes of its own, the rest is made; then what there is goes to the disk while git goes on.
  const names = createNames()
  let isRestored = false
  const restoring = restoreVersions(making, names).finally(() => {
    isRestored = true
    names.tell(noNames)
  })
  const writing = writePapers(making, plan).finally(() => {
    if (!isRestored) void beginDiskSync(part.dir, place.environment)
  })
  const [restored, papers] = await together(restoring, writing)
  if (!restored.ok) return restored
  if (!papers.ok) return papers
  const data = await placeData(making)
  if (!data.ok) return { ...data, cure: 'Put the data back where it was, then fork again.' }
  const untracked = () => untrackedIn(place, names.told)
  const copied = wish.withUntracked ? await untracked() : undefined
  if (copied) await copyLeftBehind(making, copied)
  const warnings: string[] = []
  if (point.target.type === 'rig-setup')
    await putBackRig(point.target.codonId, { plan, layout: part, warn: text => void warnings.push(text) })
  return {
    ...papers,
    notes: [...warnings, ...papers.notes],
    untrackedNotes: async () => untrackedNotes(copied ?? (await untracked()), wish),
  }
}

/** The store of the fork, then the files from it. */
async function restoreVersions(making: Making, names: Names): Promise<Result<object, Failure>> {
  const { place, point, part } = making
  const { layout, environment, versions } = place
  const refs = keptRefs(point.state, versions.refs())
  await cloneStore({ gitDir: part.checkpoints, from: layout.checkpoints, refs })
  const restored = await restoreFiles(making, names)
  if (restored.ok) return restored
  const unfit = await checkGit(environment)
  return { ...restored, cure: `Look at ${layout.checkpoints}.`, ...unfit }
}

/** The files as a rollback to the checkpoint would leave them. */
async function restoreFiles({ place, point, part, wish }: Making, { tell }: Names): Promise<Result> {
  const { plan, state, versions, environment, clock } = place
  const { sha } = point.target
  const { ahead } = wish
  const { overlays = [] } = await createSelections({ plan, state: () => state }).requestFor(sha, versions)
  if (ahead?.sha === sha && overlays.length === 0) {
    tell(await ahead.names)
    if ((await ahead.written).ok) {
      await rename(ahead.directory, part.agentRoot)
      return { ok: true }
    }
  }
  const own = readVersions({ gitDir: part.checkpoints, environment, clock })
  const tree = overlays.length === 0 ? sha : await own.overlaid(sha, overlays)
  if (tree === undefined)
    return { ok: false, message: `A version that belongs to ${point.label} cannot be read.` }
  return own.checkOut(tree, part.agentRoot, { onNames: tell })
}

async function placeData({ place, part, wish }: Making): Promise<Result> {
  const { file, layout } = place
  const copy = file.linkType === 'copy'
  const data = copy ? layout.dataSource : (file.dataPath ?? undefined)
  const options = { layout: part, data, copy, staging: part.internals, exclude: [wish.executionBaseDir] }
  const prepared = await prepareData(options)
  if (!prepared.ok) return prepared
  await installData(prepared, options)
  return { ok: true }
}

/** Two that do not need each other. Rejects when both have ended: none goes on in a directory that is being removed. */
export async function together<One, Two>(...all: readonly [Promise<One>, Promise<Two>]): Promise<[One, Two]> {
  await Promise.allSettled(all)
  return Promise.all(all)
}

async function copyLeftBehind({ place, part }: Making, { paths }: Untracked): Promise<void> {
  const { agentRoot } = place.layout
  const files = copyLinks(paths, agentRoot, part.agentRoot)
  await copyUntracked(files, agentRoot, part.agentRoot)
}

const mostNamed = 3

function untrackedNotes({ paths, names }: Untracked, { withUntracked }: ForkWish): readonly string[] {
  if (paths.length === 0) return []
  const named = [...names.slice(0, mostNamed), ...(names.length > mostNamed ? ['…'] : [])].join(', ')
  const isOne = paths.length === 1
  const count = `${paths.length} ${isOne ? 'file' : 'files'} of the workspace`
  if (withUntracked)
    return [
      `${count} in no checkpoint ${isOne ? 'was copied as it is' : 'were copied as they are'} now (${named}).`,
    ]
  const stays = isOne ? 'is in no checkpoint and stays behind' : 'are in no checkpoint and stay behind'
  const copies = `--with-untracked copies ${isOne ? 'it as it is' : 'them as they are'} now.`
  return [`${count} ${stays} (${named}); ${copies}`]
}
