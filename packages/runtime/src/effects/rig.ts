import { join } from 'node:path'
import type { ProcessExit } from '@weave/protocol'
import { wordsOf } from '../files/index.ts'
import type { RigOperation } from '../hank/index.ts'
import { type OutputStream, systemClock } from '../kit/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { type CopySource, type CopyTotals, copyIntoWorkspace, resolveCopyTarget } from './rig-copy.ts'
import type { RigEntry } from './rig-record.ts'
import {
  type CommandResult,
  type CommandSurroundings,
  runShellCommand,
  workingDirectory,
} from './shell-command.ts'

export interface RigRequest extends CommandSurroundings {
  readonly operations: readonly RigOperation[]
  readonly layout: Pick<ExecutionLayout, 'agentRoot' | 'internals'>
  /** Looks up and scans `copy.from` again, just before it is copied. */
  readonly resolveSource: (from: string) => Promise<CopySource>
  /** Where everything that copies put into the workspace is written down. */
  readonly onPut?: ((entry: RigEntry) => void) | undefined
  /** An operation begins, counted from 0. Must not throw. */
  readonly onBegin?: ((index: number) => void) | undefined
  /** An operation ended, counted from 0. What it throws is the end of the rig. */
  readonly onEnd?: ((index: number, result: RigOperationResult) => void) | undefined
  /** Every operation counts as `allowFailure`. */
  readonly ignoreFailures?: boolean
  /** See `CommandRequest`; `operation` counts from 0. */
  readonly onOutput?: ((output: RigOutput) => void) | undefined
}

export interface RigOutput {
  readonly operation: number
  readonly stream: OutputStream
  readonly text: string
}

/** What became of one operation that was begun. `stopped` comes with the first reason. */
export type RigOperationResult = CopyResult | ({ readonly type: 'command' } & CommandResult)

interface CopyResult extends Readonly<CopyTotals> {
  readonly type: 'copy'
  readonly outcome: 'succeeded' | 'failed' | 'stopped'
  /** For people; '' when it succeeded. */
  readonly message: string
  readonly reason?: unknown
  /** Relative to the workspace, `.` for all of it; as written when it was refused. */
  readonly to: string
  /** Something may be at the target because of it. */
  readonly begun: boolean
  readonly durationMs: number
}

interface RigReport {
  readonly operations: readonly RigOperationResult[]
  /** Targets that copies of this rig wrote to, failed ones included, relative to the workspace; `.` is all of it. */
  readonly copied: readonly string[]
}

export type RigOutcome = RigReport &
  (
    | { readonly ok: true }
    | {
        readonly ok: false
        readonly kind: 'failed'
        readonly operation: number
        readonly message: string
        /** Of a command that started. */
        readonly exit?: ProcessExit
      }
    /** By the signal, or by an `onOutput` that threw. No `allowFailure` covers it. */
    | { readonly ok: false; readonly kind: 'stopped'; readonly operation: number; readonly reason: unknown }
  )

/**
 * Prepares the workspace for a codon: its `rigSetup` operations, one after another, until one fails that may not. Never
 * rejects.
 *
 * A command in `lastCopied` after a copy that failed fails as well, rather than run in an older target or in half of one.
 */
export async function runRig(request: RigRequest): Promise<RigOutcome> {
  const { signal, ignoreFailures = false } = request
  const operations: RigOperationResult[] = []
  const copied: string[] = []
  const report = { operations, copied }

  for (const [index, operation] of request.operations.entries()) {
    if (signal?.aborted)
      return { ...report, ok: false, kind: 'stopped', operation: index, reason: signal.reason }
    request.onBegin?.(index)
    const result = await perform(request, operation, operations)
    operations.push(result)
    request.onEnd?.(index, result)
    if (result.type === 'copy' && result.begun) copied.push(result.to)
    if (result.outcome === 'stopped') {
      return { ...report, ok: false, kind: 'stopped', operation: index, reason: result.reason }
    }
    if (result.outcome === 'succeeded' || ignoreFailures || operation.allowFailure) continue
    const exit = result.type === 'command' && result.exit ? { exit: result.exit } : {}
    return { ...report, ok: false, kind: 'failed', operation: index, message: result.message, ...exit }
  }
  return { ...report, ok: true }
}

function perform(
  request: RigRequest,
  operation: RigOperation,
  earlier: readonly RigOperationResult[],
): Promise<RigOperationResult> {
  if (operation.type === 'copy') return performCopy(request, operation.copy)
  return performCommand(request, operation.command, earlier)
}

async function performCopy(
  request: RigRequest,
  { from, to }: Extract<RigOperation, { type: 'copy' }>['copy'],
): Promise<CopyResult> {
  const { layout, resolveSource, signal, onPut, clock = systemClock } = request
  const { agentRoot } = layout
  const scratch = join(layout.internals, 'scratch')
  const began = clock.monotonic()
  const totals: CopyTotals = { files: 0, bytes: 0 }
  let begun = false
  let target = to
  const ended = (outcome: CopyResult['outcome'], message = ''): CopyResult => {
    const durationMs = clock.monotonic() - began
    return { type: 'copy', outcome, message, to: target, begun, ...totals, durationMs }
  }

  const resolved = resolveCopyTarget(agentRoot, to)
  if (!resolved.ok) return ended('failed', resolved.message)
  target = resolved.components.join('/') || '.'
  try {
    const source = await resolveSource(from)
    if (!source.ok) return ended('failed', source.message)
    begun = true
    const copy = { source: source.path, agentRoot, target: resolved.components, scratch, signal, onPut }
    await copyIntoWorkspace(copy, totals)
    return ended('succeeded')
  } catch (error) {
    if (signal?.aborted) return { ...ended('stopped', `copy of ${from} was stopped`), reason: signal.reason }
    return ended('failed', `copy of ${from} to ${to} failed: ${wordsOf(error)}`)
  }
}

async function performCommand(
  request: RigRequest,
  command: Extract<RigOperation, { type: 'command' }>['command'],
  earlier: readonly RigOperationResult[],
): Promise<RigOperationResult> {
  const { layout, onOutput } = request
  const lastCopy = earlier.findLast(result => result.type === 'copy')
  if (command.workingDirectory === 'lastCopied' && lastCopy?.outcome === 'failed') {
    return { type: 'command', ...notRun(`lastCopied: the copy to ${lastCopy.to} failed`) }
  }
  const cwd = workingDirectory(layout.agentRoot, command.workingDirectory, lastCopy?.to)
  if (!cwd.ok) return { type: 'command', ...notRun(cwd.message) }
  const operation = earlier.length
  const result = await runShellCommand({
    ...request,
    run: command.run,
    cwd: cwd.path,
    agentRoot: layout.agentRoot,
    onOutput: (stream, text) => onOutput?.({ operation, stream, text }),
  })
  return { type: 'command', ...result }
}

function notRun(message: string): CommandResult {
  return { outcome: 'failed', message, stdout: '', stderr: '', truncated: false, durationMs: 0 }
}
