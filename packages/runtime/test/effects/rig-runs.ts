import { type CopySource, type RigOutcome, type RigRequest, runRig } from '../../src/effects/index.ts'
import { type RigOperation, resolveReference, scanCopiedTree, treeMessage } from '../../src/hank/index.ts'
import type { PreparedWorkspace } from '../workspace/prepared-workspace.ts'

export function command(
  run: string,
  more: { readonly allowFailure?: boolean; readonly in?: 'project' | 'lastCopied' } = {},
): RigOperation {
  return {
    type: 'command',
    command: { run, ...(more.in && { workingDirectory: more.in }) },
    ...(more.allowFailure !== undefined && { allowFailure: more.allowFailure }),
  }
}

export function copy(from: string, to: string, allowFailure?: boolean): RigOperation {
  return { type: 'copy', copy: { from, to }, ...(allowFailure !== undefined && { allowFailure }) }
}

/** Runs a rig, with `copy.from` looked up as the runner does it. */
export function runIn(
  workspace: PreparedWorkspace,
  operations: readonly RigOperation[],
  more: Partial<RigRequest> = {},
): Promise<RigOutcome> {
  const { layout, hankDir, surroundings } = workspace
  const resolveSource = (from: string) => resolveIn(hankDir, from)
  return runRig({ operations, layout, resolveSource, ...surroundings, ...more })
}

export async function resolveIn(hankDir: string, from: string): Promise<CopySource> {
  const resolved = resolveReference(hankDir, { path: from, label: 'copy.from' })
  if (!resolved.ok) return resolved
  const [finding] = await scanCopiedTree(resolved.path)
  return finding ? { ok: false, message: treeMessage(finding, from, 'copy.from') } : resolved
}
