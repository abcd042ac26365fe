import { join } from 'node:path'
import * as z from 'zod'
import { readRegularFile, removeFileDurablySync, writeFileAtomicSync } from '../files/index.ts'
import type { RollbackIntent } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/** The intent of a rollback on disk: from before its first effect on a file until the run that goes on from it is open. */
export function openRollbackRecord(layout: ExecutionLayout, assertHeld: () => void) {
  const file = recordFile(layout)
  return {
    write(intent: RollbackIntent) {
      assertHeld()
      writeFileAtomicSync(file, JSON.stringify(intent))
    },
    clear() {
      assertHeld()
      removeFileDurablySync(file)
    },
  }
}

const recorded = z.object({
  sha: z.string(),
  startedFrom: z.discriminatedUnion('type', [
    z.object({ type: z.literal('fresh') }),
    z.object({
      type: z.literal('continuation'),
      runId: z.string(),
      codonId: z.string().optional(),
      checkpoint: z.string().optional(),
    }),
  ]),
  undone: z.array(z.object({ runId: z.string(), codonId: z.string() })),
  rigKept: z.string().optional(),
  archives: z
    .array(
      z.object({ owner: z.string(), runId: z.string(), codonId: z.string(), files: z.array(z.string()) }),
    )
    .default([]),
})

export type ReadIntent =
  | { readonly ok: true; readonly intent?: RollbackIntent }
  | { readonly ok: false; readonly message: string }

/** A rollback that was cut off, if there is one. */
export async function readRollbackRecord(layout: ExecutionLayout): Promise<ReadIntent> {
  const file = recordFile(layout)
  const read = await readRegularFile(file, { maxBytes: 16 << 20 })
  if (!read.ok) return read.reason === 'missing' ? { ok: true } : { ok: false, message: read.message }
  try {
    return { ok: true, intent: recorded.parse(JSON.parse(read.bytes.toString('utf8'))) }
  } catch {
    return { ok: false, message: `${file}, which says how to finish a rollback, cannot be read.` }
  }
}

function recordFile({ internals }: ExecutionLayout): string {
  return join(internals, 'rollback.json')
}
