import { isLive, originIn } from '@weave/protocol'
import { lineageOf } from './view-machine.ts'
import { type Checkpoint, type FileChange, type View, viewCaps } from './view-model.ts'

/** What a rollback to a checkpoint would undo, as far as the picture tells; only the server knows for certain. */
export interface RollbackPreview {
  /** Codons that would have to be done again, in the order in which they ran. */
  readonly codonIds: readonly string[]
  /** Checkpointed files that changed after it, newest first. */
  readonly files: readonly FileChange[]
  /** More files may have changed: the list is full. */
  readonly filesIncomplete: boolean
  /** The codon that runs now would be stopped. */
  readonly stops: string | undefined
}

/** The checkpoints of what counts for the current run; others are of codons that were undone. */
export function currentCheckpoints(view: View): ReadonlySet<string> {
  return new Set(lineageOf(view.machine).flatMap(({ checkpoints }) => Object.values(checkpoints)))
}

export function rollbackPreview(view: View, { sha, time }: Checkpoint): RollbackPreview {
  const lineage = lineageOf(view.machine)
  const isFirst = view.checkpoints[0]?.sha === sha
  const owner = lineage.findLastIndex(({ checkpoints }) => Object.values(checkpoints).includes(sha))
  const codonId = lineage[owner]?.codonId
  const undone =
    codonId !== undefined
      ? lineage.slice(
          originIn(lineage, { type: 'continuation', runId: '', codonId, checkpoint: sha }).kept.length,
        )
      : lineage.filter(codon => isFirst || Date.parse(codon.startTime) >= Date.parse(time))
  return {
    codonIds: [...new Set(undone.map(({ codonId }) => codonId))],
    files: view.files.filter(file => Date.parse(file.time) > Date.parse(time)).toReversed(),
    filesIncomplete: view.files.length >= viewCaps.files,
    stops: lineage.findLast(isLive)?.codonId,
  }
}
