import type { JournaledEvent } from '@weave/protocol'

/** A checkpoint whose place in the journal is wanted. */
export interface ForkTarget {
  readonly sha: string
  /** `start`: before everything. */
  readonly type: string
  readonly codonId: string
}

/**
 * Finds the last event that belongs to a checkpoint: of the beginning the one that names it, of a rig the one that tells of
 * it, of a codon's end the word that the codon is over. Give it the events of a journal in order, until it knows. Pure.
 */
export function createPointFinder({ sha, type, codonId }: ForkTarget) {
  let made: number | undefined
  let over: number | undefined
  return {
    /** The `seq`, as soon as it is known. */
    hear(event: Pick<JournaledEvent, 'seq' | 'type' | 'data'>): number | undefined {
      if (made === undefined) {
        if (!names(event, sha, type)) return undefined
        made = event.seq
        return type === 'start' || type === 'rig-setup' ? made : undefined
      }
      if (event.type === 'codon.completed')
        return fieldOf(event, 'codonId') === codonId ? event.seq : undefined
      if (event.type !== 'state.transition') return undefined
      const transition = String(fieldOf(event, 'transitionType'))
      if (transition === 'CodonTransitioned') over = event.seq
      return endsCodon.has(transition) ? (over ?? made) : undefined
    },
    /** When the journal ends before that was said. */
    atEnd: (): number | undefined => over ?? made,
  }
}

/** Nothing of a codon comes after these. */
const endsCodon: ReadonlySet<string> = new Set([
  'CodonStarted',
  'RunStarted',
  'RunCompleted',
  'RunFailed',
  'RunCrashed',
])

function names({ type, data }: Pick<JournaledEvent, 'type' | 'data'>, sha: string, wanted: string): boolean {
  if (type !== 'state.transition') return false
  const { transition } = data as { readonly transition: { readonly type: string; readonly data: object } }
  if (!('sha' in transition.data) || transition.data.sha !== sha) return false
  return transition.type === (wanted === 'start' ? 'InitialCheckpointSet' : 'CheckpointCreated')
}

function fieldOf({ data }: Pick<JournaledEvent, 'data'>, key: string): unknown {
  return (data as Readonly<Record<string, unknown>>)[key]
}
