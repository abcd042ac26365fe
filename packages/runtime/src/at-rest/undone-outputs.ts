import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type CodonExecution, type CopiedOutputs, outputsOf } from '@weave/protocol'
import { codonNamed } from '../plan/index.ts'
import { eventsOfTypes } from './marked-events.ts'
import type { StoppedPlace } from './open.ts'

/** Output files of one codon that are still where it copied them. */
export interface UndoneOutputs {
  readonly codonId: string
  /** Absolute. */
  readonly directory: string
  /** Relative to it. */
  readonly files: readonly string[]
}

/**
 * What codons that are undone had copied to the output directory. A rollback leaves it there: the directory is not the
 * execution's, and somebody may use the files. The journal is read only if one of the codons has outputs at all.
 */
export async function undoneOutputs(
  { plan, history }: Pick<StoppedPlace, 'plan' | 'history'>,
  undone: readonly CodonExecution[],
): Promise<readonly UndoneOutputs[]> {
  const mayHave = undone.filter(({ codonId }) => codonNamed(plan, codonId)?.codon.outputFiles.length !== 0)
  if (mayHave.length === 0) return []
  const copies: (UndoneOutputs & CopiedOutputs)[] = []
  for await (const { type, data, timestamp } of eventsOfTypes(history, ['outputs.copied']))
    if (type === 'outputs.copied') copies.push({ ...data, time: timestamp })
  return mayHave.flatMap(record => {
    const copy = outputsOf(record, copies)
    const files = copy?.files.filter(file => isThere(join(copy.directory, file))) ?? []
    return copy && files.length > 0 ? [{ codonId: copy.codonId, directory: copy.directory, files }] : []
  })
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
