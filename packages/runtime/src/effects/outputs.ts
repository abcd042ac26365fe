import { realpathSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'
import type { ProcessExit } from '@weave/protocol'
import { wordsOf } from '../files/index.ts'
import type { OutputFiles } from '../hank/index.ts'
import { createId, type OutputStream, systemClock } from '../kit/index.ts'
import { selectFiles } from '../tree/index.ts'
import { isHiddenFromOutputs, outputSources } from './output-sources.ts'
import {
  type OutputCopy,
  type OutputFile,
  openStaging,
  publishStaged,
  stageFiles,
  stagingOf,
} from './output-staging.ts'
import { settleOutputs, undoOutputs } from './output-undo.ts'
import { type CommandSurroundings, runShellCommand, workingDirectory } from './shell-command.ts'

export interface OutputRequest extends CommandSurroundings {
  readonly entries: readonly OutputFiles[]
  readonly agentRoot: string
  /** None configured: nothing is run and nothing is copied. */
  readonly outputDirectory: string | undefined
  /** `--overwrite-output`. */
  readonly overwrite?: boolean
  /** The last copy target of the codon's rig, relative to the workspace, for a `beforeCopy` that asks for it. */
  readonly lastCopied?: string | undefined
  readonly record: OutputRecord
  /** The caller calls `settleOutputs` when nobody will want the copy taken back any more; until then it can be. */
  readonly settledByCaller?: boolean
  readonly onOutput?: ((output: BeforeCopyOutput) => void) | undefined
}

/**
 * Where the copy is put on record, before its first effect and when everything is in place. A throw or a rejection makes
 * the copy fail, and it is taken back. After a restart: intent without done → `undoOutputs`, done → `settleOutputs`, or
 * `undoOutputs` when the codon will run again.
 */
export interface OutputRecord {
  intent(copy: OutputCopy): void | Promise<void>
  done(copy: OutputCopy, files: readonly OutputFile[]): void | Promise<void>
}

export interface BeforeCopyOutput {
  /** Both count from 0. */
  readonly entry: number
  readonly command: number
  readonly stream: OutputStream
  readonly text: string
}

export type OutputOutcome =
  | { readonly ok: true; readonly copied: readonly OutputFile[]; readonly warnings: readonly string[] }
  | OutputFailure

type OutputFailure =
  | {
      readonly ok: false
      readonly kind: 'failed'
      readonly during: 'beforeCopy' | 'copy'
      readonly message: string
      /** Of a command that started. */
      readonly exit?: ProcessExit
    }
  | { readonly ok: false; readonly kind: 'stopped'; readonly reason: unknown }

/**
 * Copies the outputs of a codon: entry by entry its `beforeCopy` commands, then the files its globs select, as they are at
 * that moment, under the same relative paths. Only when all entries are gathered do files appear in the output
 * directory, each whole; a failure, or a stop, takes back those that already had. Never rejects.
 *
 * A name that is taken: the new file gets `file_<counter>_<timestamp>.<ext>` and what is there is not touched; with
 * `overwrite` it is replaced. A file that several entries select is copied once, as the last of them found it. The data
 * source, every `.git` and the output directory itself are not walked.
 */
export async function copyOutputs(request: OutputRequest): Promise<OutputOutcome> {
  const { entries, outputDirectory, overwrite = false, signal, clock = systemClock, record } = request
  if (outputDirectory === undefined) return { ok: true, copied: [], warnings: [] }
  const copy: OutputCopy = { id: createId('output'), directory: resolve(outputDirectory), overwrite }
  const gathering: Gathering = { copy, begun: false, warnings: [] }
  try {
    for (const [index, entry] of entries.entries()) {
      const failure = await runBeforeCopy(request, index)
      if (failure) return await abandon(gathering, failure)
      await gather(request, entry.copy, gathering)
    }
    if (!gathering.begun) return { ok: true, copied: [], warnings: gathering.warnings }
    const copied = await publishStaged(copy, clock.now(), signal)
    await record.done(copy, copied)
    if (request.settledByCaller) return { ok: true, copied, warnings: gathering.warnings }
    const settled = await settleOutputs(copy)
    return { ok: true, copied, warnings: [...gathering.warnings, ...(settled.ok ? [] : [settled.message])] }
  } catch (error) {
    const failure: OutputFailure = signal?.aborted
      ? { ok: false, kind: 'stopped', reason: signal.reason }
      : { ok: false, kind: 'failed', during: 'copy', message: `output files: ${wordsOf(error)}` }
    return abandon(gathering, failure)
  }
}

interface Gathering {
  readonly copy: OutputCopy
  /** The intent is on record, so there may be something to take back. */
  begun: boolean
  readonly warnings: string[]
}

async function gather(
  { agentRoot, signal, record }: OutputRequest,
  patterns: readonly string[],
  gathering: Gathering,
): Promise<void> {
  const { copy, warnings } = gathering
  const skip = isPassedOver(agentRoot, copy)
  const { files, unreadable, idle } = await selectFiles({ agentRoot, patterns, skip, signal })
  warnings.push(...unreadable.map(path => `output files: ${path} cannot be looked into`))
  warnings.push(...idle.map(pattern => `output files: the pattern ${pattern} matches nothing`))
  const sources = outputSources(agentRoot, files)
  if (sources.length === 0) return
  if (!gathering.begun) {
    gathering.begun = true
    await record.intent(copy)
    await openStaging(copy)
  }
  await stageFiles(copy, { agentRoot, sources, signal })
}

async function runBeforeCopy(request: OutputRequest, entry: number): Promise<OutputFailure | undefined> {
  const { entries, agentRoot, lastCopied, onOutput } = request
  for (const [index, { command }] of (entries[entry]?.beforeCopy ?? []).entries()) {
    const cwd = workingDirectory(agentRoot, command.workingDirectory, lastCopied)
    if (!cwd.ok) return { ...failedBeforeCopy, message: `beforeCopy: ${cwd.message}` }
    const { outcome, message, exit, reason } = await runShellCommand({
      ...request,
      run: command.run,
      cwd: cwd.path,
      onOutput: (stream, text) => onOutput?.({ entry, command: index, stream, text }),
    })
    if (outcome === 'stopped') return { ok: false, kind: 'stopped', reason }
    if (outcome === 'failed')
      return { ...failedBeforeCopy, message: `beforeCopy: ${message}`, ...(exit && { exit }) }
  }
  return undefined
}

const failedBeforeCopy = { ok: false, kind: 'failed', during: 'beforeCopy' } as const

async function abandon({ copy, begun }: Gathering, failure: OutputFailure): Promise<OutputFailure> {
  if (!begun) return failure
  const undone = await undoOutputs(copy)
  if (undone.ok || failure.kind === 'stopped') return failure
  return { ...failure, message: `${failure.message}; ${undone.message}` }
}

/** The output directory may lie in the workspace, or be it; what was copied or gathered is no output of this codon. */
function isPassedOver(agentRoot: string, copy: OutputCopy): (path: string) => boolean {
  const inside = relative(realpathSync(agentRoot), realpathIfPresent(copy.directory)).split(sep).join('/')
  const staging = basename(stagingOf(copy))
  return path => isHiddenFromOutputs(path) || path === inside || path === staging
}

function realpathIfPresent(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
