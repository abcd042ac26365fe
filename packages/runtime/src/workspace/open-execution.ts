import { wordsOf } from '../files/index.ts'
import { classifyDirectory, isDirectory, stagingPrefix, sweepLeftovers } from './classify-directory.ts'
import {
  badWorkspace,
  type CreateResult,
  createIn,
  createUnderBase,
  dataProblem,
} from './create-execution.ts'
import { isPartial } from './data-hash.ts'
import { repairData } from './data-source.ts'
import { cureFor, type ExecutionFile, readExecutionFile, writeExecutionFile } from './execution-file.ts'
import { type ExecutionList, listExecutions } from './find-executions.ts'
import { newestMatching } from './found-execution.ts'
import { type ExecutionLayout, executionLayout } from './layout.ts'
import { describeHolder, readLock } from './lock-file.ts'
import { type OpenOptions, type OpenProblem, type OpenResult, openProblem } from './open-options.ts'
import { undoSetAside } from './set-aside.ts'

/** Another process may create the same directory at the same moment; the second pass finds it. */
const looks = 3

/**
 * Finds or makes the execution that a start is about. Never rejects.
 *
 * - With `execution` exactly that directory: made when it is missing, empty or was left unfinished; resumed when it has
 *   `.weave/`; set aside and made anew with `startNew` and `force`. A directory with anything else in it is refused,
 *   whatever the flags say: `agentRoot` in it may be somebody's folder.
 * - With `startNew` a new one under `executionBaseDir`.
 * - Otherwise the newest one of the same hank path and data hash is resumed, or a new one made.
 *
 * Takes no lock for the caller. A live one is a problem; a race for an execution that nobody holds is decided when the
 * callers take the lock, and until then nothing is done here that two cannot do at once.
 */
export async function openExecution(options: OpenOptions): Promise<OpenResult> {
  try {
    for (let look = 1; look <= looks; look++) {
      const result = await openOnce(options)
      if (result !== 'taken') return result
    }
    throw new Error('another process makes the same execution again and again')
  } catch (error) {
    return openProblem('disk', {
      path: options.execution ?? options.executionBaseDir,
      message: `the execution cannot be opened: ${wordsOf(error)}`,
      cure: 'See to the disk and its permissions, or choose another directory with -e or executionBaseDir',
    })
  }
}

async function openOnce(options: OpenOptions): Promise<CreateResult> {
  if (options.execution !== undefined) return openNamed(executionLayout(options.execution), options)
  if (options.startNew) return createUnderBase(options)
  const list = await listExecutions(options)
  const found = newestMatching(list.executions, options)
  if (!found && options.mustExist) return noExecution(options.executionBaseDir)
  const opened = found ? await resume(found.layout, options) : await createUnderBase(options)
  if (opened === 'taken' || opened.kind === 'problem') return opened
  return { ...opened, notes: [...listNotes(list), ...opened.notes] }
}

async function openNamed(layout: ExecutionLayout, options: OpenOptions): Promise<CreateResult> {
  const { dir } = layout
  const { startNew, force, wipe } = options
  const state = await classifyDirectory(layout)
  switch (state) {
    case 'missing':
    case 'free':
      if (options.mustExist) return noExecution(dir)
      return createIn(layout, options)
    case 'execution':
      if (!startNew) return resume(layout, options)
      return force ? createIn(layout, options, { replace: true }) : needsForce(dir)
    case 'set-back':
      return startNew && force && !wipe ? createIn(layout, options) : setBack(dir)
    case 'foreign':
      return openProblem('foreign', {
        path: dir,
        message: `${dir} is not empty and not an execution: it has no .weave/`,
        cure: 'Name an empty directory, one that does not exist yet, or an execution',
      })
    case 'not-a-directory':
      return openProblem('foreign', {
        path: dir,
        message: `${dir} is not a directory`,
        cure: 'Name a directory',
      })
  }
}

async function resume(layout: ExecutionLayout, options: OpenOptions): Promise<OpenResult> {
  const { executionFile: path } = layout
  const read = await readExecutionFile(path)
  if (read.kind === 'missing')
    return openProblem('damaged', { path, message: `${path} is missing`, cure: cureFor(path) })
  if (read.kind === 'damaged') return openProblem('damaged', { path, message: read.message, cure: read.cure })
  const { file } = read
  const obstacle = otherKind(layout, file, options) ?? (await lockProblem(layout, options))
  if (obstacle) return obstacle
  await sweepLeftovers(layout.dir, stagingPrefix)
  await undoSetAside(layout)
  if (!(await isDirectory(layout.agentRoot))) return badWorkspace(layout)
  return goOn(layout, file, options)
}

/** The data may have moved, or be another than before; the link follows, a copy stays what it was. */
async function goOn(layout: ExecutionLayout, file: ExecutionFile, options: OpenOptions): Promise<OpenResult> {
  const copy = file.linkType === 'copy'
  const data = copy ? (file.dataPath ?? undefined) : (options.data ?? file.dataPath ?? undefined)
  const exclude = [options.executionBaseDir]
  const placed = await repairData({ layout, data, copy, staging: layout.internals, exclude })
  if (!placed.ok) return lostData(layout, data, placed.message)
  const isNewData = !copy && options.data !== undefined
  const executionFile: ExecutionFile = {
    ...file,
    ...(isNewData && { dataPath: options.data, dataHash: options.dataHash }),
    linkType: placed.linkType,
    lastUsed: options.clock.now().toISOString(),
  }
  await writeExecutionFile(layout.executionFile, executionFile)
  const notes = [...placed.notes, ...resumeNotes(file, options)]
  return { kind: 'resumed', layout, executionFile, hankChanged: file.hankHash !== options.hankHash, notes }
}

function resumeNotes(file: ExecutionFile, { hankPath, data, dataHash, copy }: OpenOptions): string[] {
  const notes: string[] = []
  if (file.hankPath !== hankPath) notes.push(`The execution was made from ${file.hankPath}.`)
  if (data !== undefined && file.dataHash !== dataHash) {
    const isUnsure = isPartial(file.dataHash) || isPartial(dataHash)
    notes.push(isUnsure ? maybeOtherData : 'The data is not what it was when the execution was made.')
  }
  if (copy && file.linkType !== 'copy')
    notes.push('--copy changes nothing: the execution has its data already.')
  return notes
}

const maybeOtherData =
  'The data is too large to tell whether it changed since. Use --start-new to start over.'

function listNotes({ damaged, truncated, problem }: ExecutionList): readonly string[] {
  const notes = damaged.map(({ dir, message, cure }) => `${dir} was not considered: ${message}. ${cure}.`)
  if (truncated)
    notes.push('There are too many executions to look at all of them; weave gc removes old ones.')
  return problem === undefined ? notes : [...notes, problem]
}

function otherKind({ dir }: ExecutionLayout, file: ExecutionFile, options: OpenOptions) {
  const was = file.rehearsal ?? false
  if (was === options.rehearsal) return undefined
  const [kind, other] = was ? ['rehearsal', 'real run'] : ['real run', 'rehearsal']
  const message = `${dir} is the execution of a ${kind}, which a ${other} never goes on with`
  const cure = `Go on with it: weave ${was ? 'rehearse ' : ''}-e ${dir}`
  return openProblem('rehearsal', { path: dir, message, cure })
}

async function lockProblem({ dir, lockFile }: ExecutionLayout, { clock }: OpenOptions) {
  const lock = await readLock(lockFile, clock)
  if (lock.kind === 'unreadable')
    return openProblem('damaged', { path: lockFile, message: lock.message, cure: lock.cure })
  // Whether a silent one may be taken over is found out when the lock is taken.
  if (lock.kind !== 'held' || lock.silent) return undefined
  return openProblem('held', {
    path: dir,
    message: `${dir} is held by ${describeHolder(lock.holder)}`,
    cure: `Watch it with weave attach ${dir}, stop it first, or start another execution with --start-new`,
    holder: lock.holder,
  })
}

function lostData({ dir }: ExecutionLayout, data: string | undefined, message: string): OpenProblem {
  const cure = `Put the data back where it was, or name where it is now: weave <hank> <data> -e ${dir}`
  return { ...dataProblem(data, message), cure }
}

function noExecution(path: string): OpenProblem {
  return openProblem('missing', {
    path,
    message: `${path} has no execution of this hank and this data`,
    cure: 'Name one with -e ("weave list" shows which there are), or run the hank first',
  })
}

function needsForce(dir: string): OpenProblem {
  return openProblem('needs-force', {
    path: dir,
    message: `${dir} is an execution already`,
    cure: 'Add --force to set it aside (its .weave/ is kept as .weave.backup-<timestamp>, its workspace is emptied unless --no-wipe), or leave out --start-new to resume it',
  })
}

function setBack(dir: string): OpenProblem {
  return openProblem('set-back', {
    path: dir,
    message: `${dir} was being started anew with --force --no-wipe, and that was cut short`,
    cure: `Finish it with --start-new --force --no-wipe -e ${dir}, or go back by renaming the newest .weave.backup-<timestamp> in it to .weave`,
  })
}
