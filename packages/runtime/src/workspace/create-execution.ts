import { lstat, mkdir, rename, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureDir, ensureDirDurably, removeTree, syncDirectory } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { stagingPrefix, sweepLeftovers, unfinishedName } from './classify-directory.ts'
import { installData, prepareData } from './data-source.ts'
import { type ExecutionFile, type LinkType, writeExecutionFile } from './execution-file.ts'
import { type ExecutionLayout, executionLayout } from './layout.ts'
import { type OpenedExecution, type OpenOptions, type OpenProblem, openProblem } from './open-options.ts'
import { type Aside, executionName, nameOfHank, removeWiped, setAside } from './set-aside.ts'

/** `taken`: another process made an execution of this directory meanwhile; classify it again. */
export type CreateResult = OpenedExecution | OpenProblem | 'taken'

const mostNames = 1_000

/** A new execution under the base directory. Rejects with the system's error. */
export async function createUnderBase(options: OpenOptions): Promise<CreateResult> {
  await ensureDirDurably(options.executionBaseDir)
  const now = options.clock.now()
  for (let attempt = 1; attempt <= mostNames; attempt++) {
    const name = executionName({ ...options, now, attempt })
    const layout = executionLayout(join(options.executionBaseDir, name))
    if (!(await isFree(mkdir(layout.dir, { mode: 0o700 })))) continue
    const result = await createIn(layout, options)
    if (result !== 'taken' && result.kind === 'problem') await removeEmpty(layout)
    return result
  }
  throw new Error(`${options.executionBaseDir} has too many executions of this second`)
}

/**
 * Makes an execution in a directory that is missing or free, or in place of the one there (`replace`).
 *
 * Everything that takes time or may fail is prepared under another name first. The rename of that to `.weave/` makes the
 * execution: of several that try at once one succeeds, and what has `.weave/` is complete but for the data, which the
 * next start puts in place if a kill came before. Rejects with the system's error.
 */
export async function createIn(
  layout: ExecutionLayout,
  options: OpenOptions,
  { replace = false } = {},
): Promise<CreateResult> {
  const { data, copy, executionBaseDir } = options
  const made = await mkdir(layout.dir, { recursive: true, mode: 0o700 })
  await sweepLeftovers(layout.dir, stagingPrefix)
  const staging = join(layout.dir, unfinishedName(stagingPrefix))
  await mkdir(staging, { mode: 0o700 })
  let isThere = false
  try {
    const prepared = await prepareData({ layout, data, copy, staging, exclude: [executionBaseDir] })
    if (!prepared.ok) return dataProblem(data, prepared.message)
    const executionFile = newExecutionFile(options, prepared.linkType)
    await writeExecutionFile(join(staging, 'execution.json'), executionFile)

    const isKept = !replace || !options.wipe
    if (isKept && (await leadsElsewhere(layout.agentRoot))) return badWorkspace(layout)
    const aside = replace ? await setAside(layout, options) : undefined
    if (aside?.kind === 'problem') return aside
    await ensureDir(layout.agentRoot)
    const renamed = await isFree(rename(staging, layout.internals))
    isThere = true
    if (!renamed) return 'taken'
    // Somebody who tried at the same time and failed may just have tidied up after himself.
    await ensureDir(layout.agentRoot)
    await Promise.all([syncDirectory(layout.dir), syncDirectory(dirname(layout.dir))])
    const moved = await installData(prepared, { layout, staging: layout.internals })
    const notes = [...(await afterwards(aside)), ...prepared.notes, ...moved]
    return { kind: 'created', layout, executionFile, hankChanged: false, notes }
  } finally {
    await removeTree(staging)
    if (made !== undefined && !isThere) await removeEmpty(layout)
  }
}

/** Leaves no empty shell of an execution that could not be made. */
async function removeEmpty({ agentRoot, dir }: ExecutionLayout): Promise<void> {
  for (const path of [agentRoot, dir]) await rmdir(path).catch(() => undefined)
}

/** The new execution is there; what is left of the old one must not make it fail. */
async function afterwards(aside: Aside | undefined): Promise<readonly string[]> {
  if (!aside) return []
  const kept = `The earlier .weave/ is kept as ${aside.backup}.`
  return removeWiped(aside).then(
    () => [kept],
    () => [kept, 'The earlier workspace is in it, because it could not be removed.'],
  )
}

function newExecutionFile(options: OpenOptions, linkType: LinkType): ExecutionFile {
  const { hankPath, hankHash, hankName, data, dataHash, rehearsal, weaveVersion, clock } = options
  const now = clock.now().toISOString()
  return {
    version: 1,
    hankPath,
    hankHash,
    hankName: nameOfHank(hankName, hankPath),
    dataPath: data ?? null,
    dataHash,
    linkType,
    createdAt: now,
    lastUsed: now,
    weaveVersion,
    node: process.version,
    platform: process.platform,
    ...(rehearsal && { rehearsal }),
  }
}

export function dataProblem(data: string | undefined, message: string): OpenProblem {
  const path = data ?? ''
  return openProblem('data', { path, message, cure: 'Name a file or a directory that can be read' })
}

export function badWorkspace({ agentRoot }: ExecutionLayout): OpenProblem {
  return openProblem('damaged', {
    path: agentRoot,
    message: `${agentRoot} is missing, or leads elsewhere instead of being a directory`,
    cure: 'Put the real directory back, or start another execution with --start-new',
  })
}

async function leadsElsewhere(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  return stats !== undefined && !stats.isDirectory()
}

/** `false`: the name is taken. Rejects with the system's error for everything else. */
async function isFree(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}
