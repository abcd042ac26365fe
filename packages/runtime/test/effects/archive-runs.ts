import {
  type ArchiveEntry,
  type ArchivePlan,
  type ArchiveRequest,
  performArchive,
  planArchive,
  readArchive,
} from '../../src/effects/index.ts'
import type { ExecutionLayout } from '../../src/workspace/index.ts'

export async function planned(
  layout: ExecutionLayout,
  patterns: readonly string[],
  more: Partial<ArchiveRequest> = {},
): Promise<ArchivePlan> {
  const request = { patterns, owner: 'draft', runId: 'run_1', codonId: 'draft', ...more }
  const result = await planArchive(layout, request)
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result.plan
}

/** Plans and performs, and gives what moved. */
export async function archived(
  layout: ExecutionLayout,
  patterns: readonly string[],
  more: Partial<ArchiveRequest> = {},
): Promise<readonly ArchiveEntry[]> {
  const outcome = await performArchive(layout, await planned(layout, patterns, more))
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.moved
}

export async function entriesOf(layout: ExecutionLayout): Promise<readonly ArchiveEntry[]> {
  const read = await readArchive(layout.archiveManifest)
  if (!read.ok) throw new Error(read.message)
  return read.entries
}
