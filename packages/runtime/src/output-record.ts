import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readRegularFile, writeFileAtomicSync } from './kit/index.ts'
import { type ExecutionLayout, type OutputRecord, settleOutputs, undoOutputs } from './workspace/index.ts'

/**
 * Output copying is put on record before its first effect and again when it is done, so that a restart can finish or
 * undo what was cut off. One file, because at most one copy is under way.
 */
export interface KeptOutputRecord extends OutputRecord {
  /** Call when everything of the copy is in place and tidied up. */
  clear(): void
}

export function openOutputRecord(layout: ExecutionLayout): KeptOutputRecord {
  const file = recordFile(layout)
  return {
    intent: copy => writeFileAtomicSync(file, JSON.stringify({ copy, done: false })),
    done: copy => writeFileAtomicSync(file, JSON.stringify({ copy, done: true })),
    clear: () => rmSync(file, { force: true }),
  }
}

const recorded = z.object({
  copy: z.object({ id: z.string(), directory: z.string(), overwrite: z.boolean() }),
  done: z.boolean(),
})

/** At the start: takes back a copy that was cut off, or tidies up after one that was done. Says what it did. */
export async function finishOutputs(layout: ExecutionLayout): Promise<readonly string[]> {
  const file = recordFile(layout)
  const read = await readRegularFile(file, { maxBytes: 1024 * 1024 })
  if (!read.ok) return []
  const parsed = recorded.safeParse(parse(read.bytes.toString('utf8')))
  if (!parsed.success)
    return [`${file} cannot be read; look whether ${layout.dir} left a half-done copy of outputs.`]
  const { copy, done } = parsed.data
  const settled = done ? await settleOutputs(copy) : await undoOutputs(copy)
  if (!settled.ok) return [settled.message]
  rmSync(file, { force: true })
  return done ? [] : [`A copy of output files to ${copy.directory} had been cut off and was taken back.`]
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
