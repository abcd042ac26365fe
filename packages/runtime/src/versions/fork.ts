import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, realpath, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cloneStore, readVersions } from '../checkpoint/index.ts'
import { createSelections, putBackRig } from '../execution/index.ts'
import {
  createDiskSync,
  ensureDirDurably,
  readRegularFile,
  removeTree,
  syncDirectory,
} from '../files/index.ts'
import { copyPrefix, executionIdOf } from '../journal/index.ts'
import { errorCode, type Failure, messageOf, type Refused, type Result, wordsOf } from '../kit/index.ts'
import { type Plan, plannedCodons } from '../plan/index.ts'
import {
  type ExecutionFile,
  type ExecutionLayout,
  executionLayout,
  executionName,
  type ForkOrigin,
  installData,
  partOf,
  prepareData,
  readLock,
  writeExecutionFile,
  writeOrigin,
} from '../workspace/index.ts'
import { type ForkPlace, forkPlace, takeoverAt } from './fork-place.ts'
import { writeForkRecord } from './fork-record.ts'
import { keptRefs } from './fork-refs.ts'
import { type MovedConversations, moveConversations } from './fork-sessions.ts'
import {
  copyArchive,
  copyLinks,
  copyRecords,
  copyUntracked,
  type Untracked,
  untrackedIn,
} from './fork-workspace.ts'
import type { ReadPlace } from './read-place.ts'

export interface ForkWish {
  /** A name of `weave checkpoints`. */
  readonly at: string
  readonly executionBaseDir: string
  /** Exactly there, instead of under the base directory. */
  readonly directory?: string | undefined
  /** Another hank goes on from there. */
  readonly takeover?: HankTakeover | undefined
  readonly withUntracked: boolean
  /** A real execution becomes a rehearsal. Rehearsals stay what they are. */
  readonly rehearse: boolean
  readonly weaveVersion: string
}

export interface HankTakeover {
  readonly plan: Plan
  readonly hankPath: string
  readonly hankHash: string
  readonly hankName: string
}

export interface Forked {
  readonly dir: string
  readonly label: string
  readonly sha: string
  /** What the next start begins with; absent: nothing is left to do. */
  readonly next?: { readonly codonId: string; readonly model: string }
  readonly isRehearsal: boolean
  readonly origin: ForkOrigin
  /** For people. */
  readonly notes: readonly string[]
}

export type ForkResult = Result<{ readonly forked: Forked }, Failure>

/**
 * A new execution that begins as another was at a checkpoint. The other is only read; it may be live. It is made beside its
 * place and renamed when it is whole: a kill leaves nothing that anybody takes for an execution. Never rejects.
 */
export async function fork(place: ReadPlace, wish: ForkWish): Promise<ForkResult> {
  // git reads them while we read the journal. Never rejects.
  const refs = place.versions.refs()
  const found = await forkPlace(place, wish.at)
  if (!found.ok) return found
  const { point } = found
  const takeover = takeoverAt(point, wish.takeover?.plan)
  if (!takeover.ok) return takeover
  const lock = await readLock(place.layout.lockFile, place.clock)
  if (wish.withUntracked && lock.kind === 'held')
    return {
      ok: false,
      message: '--with-untracked copies files as they are now, and a run is changing them.',
      cure: `Stop it first: weave stop ${place.layout.dir}; or leave out --with-untracked.`,
    }
  try {
    const dir = await claim(place, wish)
    if (typeof dir !== 'string') return dir
    return await make({ place, wish, point, refs, dir, part: executionLayout(partOf(dir)) }, takeover)
  } catch (error) {
    return {
      ok: false,
      message: `The fork could not be made: ${messageOf(error)}`,
      cure: 'See to the disk and its permissions, or choose another directory with -e.',
    }
  }
}

const mostNames = 1_000

/** The place of the fork, with the directory in which it is made; both ours alone. */
async function claim({ file, clock }: ReadPlace, wish: ForkWish): Promise<string | Refused<Failure>> {
  const { directory, executionBaseDir, takeover } = wish
  if (directory !== undefined) {
    if (existsSync(directory)) return taken(directory)
    await ensureDirDurably(dirname(directory))
    return (await isFree(partOf(directory))) ? directory : taken(partOf(directory))
  }
  await ensureDirDurably(executionBaseDir)
  const { hankPath, hankName } = takeover ?? file
  const names = { hankPath, hankName, dataHash: file.dataHash, now: clock.now() }
  for (let attempt = 1; attempt <= mostNames; attempt++) {
    const dir = join(executionBaseDir, executionName({ ...names, attempt }))
    if (!existsSync(dir) && (await isFree(partOf(dir)))) return dir
  }
  throw new Error(`${executionBaseDir} has too many executions of this second`)
}

function taken(path: string): Refused<Failure> {
  return {
    ok: false,
    message: `${path} is there already.`,
    cure: 'Name a directory that does not exist yet, or leave out -e.',
  }
}

/** Makes it, unless the name is taken. */
async function isFree(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

interface Making {
  readonly place: ReadPlace
  readonly wish: ForkWish
  readonly point: ForkPlace
  /** Of the store of the source, with what they name. */
  readonly refs: ReturnType<ReadPlace['versions']['refs']>
  /** What it will be called. */
  readonly dir: string
  /** Where it is made. */
  readonly part: ExecutionLayout
}

type Allowed = Extract<ReturnType<typeof takeoverAt>, { readonly ok: true }>

async function make(making: Making, { entry, differing }: Allowed): Promise<ForkResult> {
  const { place, wish, point, dir, part } = making
  try {
    const filled = await fill(making)
    if (!filled.ok) return filled
    const { origin, isRehearsal, notes } = filled
    await createDiskSync([part.dir], place.environment)()
    await rename(part.dir, dir)
    await syncDirectory(dirname(dir))
    const stale =
      differing.length === 0 ? [] : [`Other in the new hank, and not run again: ${differing.join(', ')}.`]
    const forked = {
      dir,
      label: point.label,
      sha: point.target.sha,
      ...(entry && { next: entry }),
      isRehearsal,
      origin,
      notes: [...stale, ...notes],
    }
    return { ok: true, forked }
  } catch (error) {
    const isTaken = ['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')
    return isTaken
      ? { ok: false, message: `${dir} was made by another meanwhile.`, cure: 'Run the command again.' }
      : {
          ok: false,
          message: `The fork could not be made: ${wordsOf(error)}`,
          cure: `Nothing of it is left in ${dirname(dir)}; ${wish.directory === undefined ? 'see to the disk' : 'choose another directory'}.`,
        }
  } finally {
    await removeTree(part.dir)
  }
}

type Filled = Result<
  { readonly origin: ForkOrigin; readonly isRehearsal: boolean; readonly notes: readonly string[] },
  Failure
>

/** Everything of the fork, in the directory in which it is made. Rejects with the system's error. */
async function fill(making: Making): Promise<Filled> {
  const { place, wish, point, part } = making
  const { layout, file, clock, environment } = place
  const plan = wish.takeover?.plan ?? point.plans[0] ?? place.plan
  const warnings: string[] = []
  for (const path of [part.internals, part.agentRoot, part.agents, part.logs])
    await mkdir(path, { mode: 0o700 })
  // While git works in its own processes, the journal is copied and the workspace looked through.
  const [restored, prefix, untracked] = await together(
    restoreVersions(making),
    copyPrefix(layout.journal, part.journal, point.seq),
    untrackedIn(place),
  )
  if (!restored.ok) return restored
  const data = await placeData(making)
  if (!data.ok) return { ...data, cure: 'Put the data back where it was, then fork again.' }
  if (wish.withUntracked) await copyLeftBehind(making, untracked)
  const archived = await copyArchive(layout, part, point.state)
  if (!archived.ok) return { ...archived, cure: `Look at ${layout.archiveManifest}.` }
  await copyRecords(layout, part, point.state)
  if (point.target.type === 'rig-setup')
    await putBackRig(point.target.codonId, { plan, layout: part, warn: text => void warnings.push(text) })
  const conversations = await moveConversations(await conversationMove(making))
  const words = `Forked from ${basename(layout.dir)} at ${point.label}.`
  const takesOver = wish.takeover !== undefined
  const written = await writeForkRecord({ layout: part, point, plan, takesOver, words, clock, environment })
  const isRehearsal = wish.rehearse || file.rehearsal === true
  const own = await executionFileOf(making, isRehearsal)
  await writeExecutionFile(part.executionFile, own)
  const origin = await originOf(making, { plan, prefix, conversations, own, ...written })
  await writeOrigin(part.originFile, origin)
  const notes = [...warnings, ...untrackedNotes(untracked, wish), ...conversationNotes(conversations)]
  return { ok: true, origin, isRehearsal, notes }
}

/** The store of the fork, then the files from it. */
async function restoreVersions(making: Making): Promise<Result<object, Failure>> {
  const { place, point, part, refs } = making
  const { layout, environment, clock } = place
  const store = await cloneStore({
    gitDir: part.checkpoints,
    from: layout.checkpoints,
    refs: refs.then(source => keptRefs(point.state, source)),
    environment,
    clock,
  })
  if (!store.ok) return store
  const restored = await restoreFiles(making)
  return restored.ok ? restored : { ...restored, cure: `Look at ${layout.checkpoints}.` }
}

/** The files as a rollback to the checkpoint would leave them. */
async function restoreFiles({ place, point, part }: Making): Promise<Result> {
  const { plan, state, versions, environment, clock } = place
  const { sha } = point.target
  const { overlays = [] } = await createSelections({ plan, state: () => state }).requestFor(sha, versions)
  const own = readVersions({ gitDir: part.checkpoints, environment, clock })
  const tree = overlays.length === 0 ? sha : await own.overlaid(sha, overlays)
  if (tree === undefined)
    return { ok: false, message: `A version that belongs to ${point.label} cannot be read.` }
  return own.checkOut(tree, part.agentRoot)
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

/** Some that do not need each other. Rejects when all have ended: none goes on in a directory that is being removed. */
async function together<One, Two, Three>(
  ...all: readonly [Promise<One>, Promise<Two>, Promise<Three>]
): Promise<[One, Two, Three]> {
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

function conversationNotes({ left }: MovedConversations): readonly string[] {
  if (left === 0) return []
  return [
    `The old workspace is named ${left} ${left === 1 ? 'time' : 'times'} in what a model thought and signed; that cannot be changed.`,
  ]
}

/** Agents name directories as the system does, without links on the way. */
async function conversationMove({ place, point, dir, part }: Making) {
  const { layout } = place
  const real = await realpath(layout.agentRoot).catch(() => layout.agentRoot)
  const to = join(await realpath(dirname(dir)), basename(dir), basename(layout.agentRoot))
  return {
    home: layout.agents,
    target: part.agents,
    state: point.state,
    from: [...new Set([layout.agentRoot, real])],
    to,
  }
}

async function executionFileOf({ place, wish }: Making, isRehearsal: boolean): Promise<ExecutionFile> {
  const { file, clock } = place
  const now = clock.now().toISOString()
  const { rehearsal: _, ...rest } = file
  const { hankPath, hankHash, hankName } = wish.takeover ?? file
  return {
    ...rest,
    hankPath,
    hankHash,
    hankName,
    createdAt: now,
    lastUsed: now,
    weaveVersion: wish.weaveVersion,
    node: process.version,
    platform: process.platform,
    ...(isRehearsal && { rehearsal: true as const }),
  }
}

interface OriginFacts {
  readonly plan: Plan
  readonly prefix: ForkOrigin['prefix']
  readonly conversations: MovedConversations
  readonly own: ExecutionFile
  readonly planSeq?: number
}

async function originOf(
  { place, point, wish }: Making,
  { plan, prefix, conversations, own, planSeq }: OriginFacts,
): Promise<ForkOrigin> {
  const { layout, file, history } = place
  return {
    version: 1,
    kind: 'fork',
    id: (await executionIdOf(history, layout.originFile)) ?? '',
    from: { name: basename(layout.dir), createdAt: file.createdAt, hankHash: file.hankHash },
    at: { runId: point.runId, ...point.target, seq: point.seq },
    prefix,
    ...(planSeq !== undefined && { planSeq }),
    inheritedCost: point.state.totalCost,
    hankHash: own.hankHash,
    files: await promptFiles(plan),
    rewritten: conversations,
    madeAt: own.createdAt,
    weaveVersion: wish.weaveVersion,
  }
}

const longestPrompt = 16 << 20

/** The files that prompts come from, as they are now; one that cannot be read is left out. */
async function promptFiles(plan: Plan): Promise<Readonly<Record<string, string>>> {
  const texts = plannedCodons(plan).flatMap(({ prompt, appendSystemPrompt }) => [
    prompt,
    appendSystemPrompt ?? prompt,
  ])
  const paths = new Set(texts.flatMap(text => ('files' in text ? text.files : [])))
  const digests: Record<string, string> = {}
  for (const path of paths) {
    const read = await readRegularFile(join(plan.hankDir, path), { maxBytes: longestPrompt })
    if (read.ok) digests[path] = createHash('sha256').update(read.bytes).digest('hex')
  }
  return digests
}
