import { join } from 'node:path'
import type { WeaveState } from '@weave/protocol'
import * as z from 'zod'
import { type OutputCopy, type OutputRecord, settleOutputs, undoOutputs } from '../effects/index.ts'
import { readRegularFile, removeFileDurablySync, writeFileAtomicSync } from '../files/index.ts'
import type { Result } from '../kit/index.ts'
import type { RollbackIntent } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/** The intent of a rollback on disk: from before its first effect on a file until the run that goes on from it is open. */
export function openRollbackRecord(layout: ExecutionLayout, assertHeld: () => void) {
  const file = rollbackFile(layout)
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

const recordedIntent = z.object({
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

type ReadIntent = Result<{ readonly intent?: RollbackIntent }>

/** A rollback that was cut off, if there is one. */
export async function readRollbackRecord(layout: ExecutionLayout): Promise<ReadIntent> {
  const file = rollbackFile(layout)
  const read = await readRegularFile(file, { maxBytes: 16 << 20 })
  if (!read.ok) return read.reason === 'missing' ? { ok: true } : { ok: false, message: read.message }
  try {
    return { ok: true, intent: recordedIntent.parse(JSON.parse(read.bytes.toString('utf8'))) }
  } catch {
    return { ok: false, message: `${file}, which says how to finish a rollback, cannot be read.` }
  }
}

function rollbackFile({ internals }: ExecutionLayout): string {
  return join(internals, 'rollback.json')
}

/**
 * Output copying is put on record before its first effect and kept there until the end of its codon is recorded: a codon
 * that a crash cuts off runs again and copies again, so a restart takes back what it had copied. One file, because at
 * most one codon is under way.
 */
export interface KeptOutputRecord {
  of(codon: CodonPlace): OutputRecord
  /** Nothing is left of the copy: it failed and took itself back. */
  clear(): void
  /** The end of the codon is recorded: its outputs stay, or go if it did not complete. Says what failed; never rejects. */
  settle(completed: boolean): Promise<string | undefined>
}

interface CodonPlace {
  readonly runId: string
  readonly codonId: string
}

export function openOutputRecord(layout: ExecutionLayout, assertHeld: () => void): KeptOutputRecord {
  const file = recordFile(layout)
  let done: OutputCopy | undefined
  const clear = (): void => {
    assertHeld()
    done = undefined
    removeFileDurablySync(file)
  }
  return {
    of: codon => ({
      intent(copy) {
        assertHeld()
        writeFileAtomicSync(file, JSON.stringify({ copy, done: false, codon }))
      },
      done(copy) {
        assertHeld()
        writeFileAtomicSync(file, JSON.stringify({ copy, done: true, codon }))
        done = copy
      },
    }),
    clear,
    async settle(completed) {
      if (!done) return undefined
      assertHeld()
      const settled = await (completed ? settleOutputs(done) : undoOutputs(done))
      clear()
      return settled.ok ? undefined : settled.message
    },
  }
}

const recorded = z.object({
  copy: z.object({ id: z.string(), directory: z.string(), overwrite: z.boolean() }),
  done: z.boolean(),
  codon: z.object({ runId: z.string(), codonId: z.string() }).optional(),
})

/** At the start: takes back a copy whose codon will run again, or tidies up after one that is done. Says what it did. */
export async function finishOutputs(layout: ExecutionLayout, state: WeaveState): Promise<readonly string[]> {
  const file = recordFile(layout)
  const read = await readRegularFile(file, { maxBytes: 1024 * 1024 })
  if (!read.ok) return []
  const parsed = recorded.safeParse(parse(read.bytes.toString('utf8')))
  if (!parsed.success)
    return [`${file} cannot be read; look whether ${layout.dir} left a half-done copy of outputs.`]
  const { copy, done, codon } = parsed.data
  const stays = done && (!codon || hasCompleted(codon, state))
  const settled = stays ? await settleOutputs(copy) : await undoOutputs(copy)
  if (!settled.ok) return [settled.message]
  removeFileDurablySync(file)
  if (stays) return []
  return [
    `A copy of output files to ${copy.directory} belonged to a codon that was cut off; it was taken back.`,
  ]
}

function hasCompleted({ runId, codonId }: CodonPlace, { runs }: WeaveState): boolean {
  const run = runs.find(each => each.runId === runId)
  return run?.codons.findLast(each => each.codonId === codonId)?.status === 'completed'
}

function recordFile({ internals }: ExecutionLayout): string {
  return join(internals, 'output-copy.json')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
