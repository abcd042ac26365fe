import {
  type CheckpointType,
  type CodonExecution,
  currentRun,
  lineageOf,
  type WeaveState,
} from '@weave/protocol'

/** One version on the thread that counts: what the next run goes on from. */
export interface ThreadVersion {
  readonly sha: string
  readonly type: CheckpointType | 'start'
  /** Empty for the beginning. */
  readonly codonId: string
  readonly record?: CodonExecution
}

/** In the order in which they were made; of each codon first what its rig left, then its end. Pure. */
export function threadVersions(state: WeaveState): readonly ThreadVersion[] {
  const beginning = state.runs[0]?.initialCheckpoint
  return [
    ...(beginning === undefined ? [] : [{ sha: beginning, type: 'start', codonId: '' } as const]),
    ...lineageOf(state, currentRun(state)).flatMap(record =>
      order.flatMap(type => {
        const sha = record.checkpoints[type]
        return sha === undefined ? [] : [{ sha, type, codonId: record.codonId, record }]
      }),
    ),
  ]
}

const order: readonly CheckpointType[] = ['rig-setup', 'completed', 'error', 'skipped']

/** Such as `draft completed, 1a2b3c4d`. */
export function labelOf({ sha, type, codonId }: Pick<ThreadVersion, 'sha' | 'type' | 'codonId'>): string {
  return `${placeOf({ type, codonId })}, ${sha.slice(0, 8)}`
}

/** The same without the sha. */
export function placeOf({ type, codonId }: Pick<ThreadVersion, 'type' | 'codonId'>): string {
  return type === 'start' ? 'the beginning' : `${codonId} ${type}`
}

/** What a person writes to name it. */
export function nameOf({ type, codonId }: Pick<ThreadVersion, 'type' | 'codonId'>): string {
  if (type === 'start') return 'start'
  return type === 'rig-setup' ? `${codonId}:rig-setup` : codonId
}

export interface CandidateRules {
  readonly rigs: boolean
  readonly completedOnly: boolean
  /** The ends of the search, which count whatever they are. */
  readonly named: ReadonlySet<string>
}

/** The versions that a search may name; of neighbours with the same files the first. Pure. */
export function candidatesOf(
  versions: readonly ThreadVersion[],
  trees: ReadonlyMap<string, string>,
  { rigs, completedOnly, named }: CandidateRules,
): readonly ThreadVersion[] {
  const wanted = versions.filter(({ sha, type }) => {
    if (type === 'start' || named.has(sha)) return true
    if (type === 'rig-setup') return rigs
    return type === 'completed' || !completedOnly
  })
  return wanted.filter(({ sha }, at) => {
    const before = wanted[at - 1]
    return before === undefined || trees.get(before.sha) !== trees.get(sha)
  })
}
