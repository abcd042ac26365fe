import { type CodonExecution, currentRun, lineageOf, type RunState, type WeaveState } from '@weave/protocol'
import type { CheckpointStore, Overlay, RestoreRequest } from '../checkpoint/index.ts'
import { codonAt, find, type Plan } from '../plan/index.ts'

import { createSelection, type Selection } from '../tree/index.ts'

/**
 * Which files a version holds. The selection widens from codon to codon, so an early version does not speak of files that a
 * later codon selected first: these go back to what they were when that codon began.
 */
export interface CheckpointSelections {
  /** Of the codons that the present thread has started. */
  ofThread(): Selection
  /** The lists of patterns of the same codons. */
  listsOfThread(): readonly (readonly string[])[]
  /** Of all codons that were ever started. */
  ofAll(): Selection
  /** Of the whole plan. */
  ofPlan(): Selection
  /** Whether the codon that the present thread started last selects something that no codon before it did. */
  widens(): boolean
  /** What to ask of the store so that the files are those of a version. */
  requestFor(sha: string, store: VersionLookup): Promise<RestoreRequest>
}

/** What must be known of a store. */
export type VersionLookup = Pick<CheckpointStore, 'read' | 'readBefore'>

export interface SelectionSource {
  readonly plan: Plan
  readonly state: () => WeaveState
}

export function createSelections({ plan, state }: SelectionSource): CheckpointSelections {
  const patternsOf = createPatternFinder(plan)
  const ofCodons = createCodonSelections(patternsOf)
  const thread = () => lineageOf(state(), currentRun(state()))
  const ofAll = () => ofCodons(state().runs.flatMap(({ codons }) => codons))
  return {
    ofThread: () => ofCodons(thread()),
    listsOfThread: () => thread().map(patternsOf),
    ofAll,
    ofPlan: () => ofCodons(plan.items.flatMap(item => (item.kind === 'loop' ? item.codons : [item]))),
    widens() {
      const run = currentRun(state())
      const codons = thread()
      const earlier = codons.slice(0, -1)
      // Where everything began all files of the plan were kept; after a rig the codon has begun before.
      if (!run || earlier.length === 0 || originOf(state(), run, codons.at(-1)) !== run) return false
      return ofCodons(earlier) !== ofCodons(codons)
    },
    async requestFor(sha, store) {
      const held = await codonsHeldBy(sha, state(), store)
      if (!held || ofCodons(held) === ofAll()) return { to: sha, selection: ofAll() }
      let known = held
      const overlays: Overlay[] = []
      for (const codon of thread()) {
        const before = ofCodons(known)
        const more = [...known, codon]
        if (ofCodons(more) === before) continue
        const first = await firstVersionOf(codon, state(), store)
        if (first === undefined) continue
        const own = ofCodons([codon])
        overlays.push({ sha: first, takes: path => own.selects(path) && !before.selects(path) })
        known = more
      }
      return { to: sha, selection: ofCodons(known), overlays }
    },
  }
}

type Selecting = Pick<CodonExecution, 'codonId'> | { readonly checkpointedFiles: readonly string[] }

type PatternFinder = (codon: Selecting) => readonly string[]

function createPatternFinder(plan: Plan): PatternFinder {
  return codon => {
    if ('checkpointedFiles' in codon) return codon.checkpointedFiles
    const position = find(plan, codon.codonId)
    return (position && codonAt(plan, position)?.codon.checkpointedFiles) ?? []
  }
}

/** One object for each set of lists: a scan with one that was used before is faster, and two can be compared. */
function createCodonSelections(patternsOf: PatternFinder): (codons: readonly Selecting[]) => Selection {
  const made = new Map<string, Selection>()
  return codons => {
    const lists = new Map(codons.map(codon => entryOf(patternsOf(codon))))
    const key = [...lists.keys()].toSorted((a, b) => (a < b ? -1 : 1)).join('\n')
    const known = made.get(key)
    if (known) return known
    const created = createSelection([...lists.values()])
    if (!created.ok) throw new Error(`${created.pattern}: ${created.message}`)
    made.set(key, created.selection)
    return created.selection
  }
}

function entryOf(patterns: readonly string[]): [string, readonly string[]] {
  return [JSON.stringify(patterns), patterns]
}

/** The codons whose files a version holds; undefined for a version of all files. */
async function codonsHeldBy(
  sha: string,
  state: WeaveState,
  store: VersionLookup,
): Promise<readonly CodonExecution[] | undefined> {
  for (const run of state.runs) {
    const at = run.codons.findIndex(({ checkpoints }) => Object.values(checkpoints).includes(sha))
    if (at === -1) continue
    const thread = lineageOf(state, run)
    return thread.slice(0, thread.length - run.codons.length + at + 1)
  }
  const record = await store.read(sha)
  const last = state.runs.findIndex(({ runId }) => runId === record?.runId)
  return last === -1 ? undefined : state.runs.slice(0, last + 1).flatMap(({ codons }) => codons)
}

/** The oldest version that holds what a codon selects: what it began with, else what is known next. */
async function firstVersionOf(
  codon: CodonExecution,
  state: WeaveState,
  store: VersionLookup,
): Promise<string | undefined> {
  const run = state.runs.find(({ codons }) => codons.includes(codon))
  const origin = run && originOf(state, run, codon)
  const before = origin && (await store.readBefore(origin.runId, codon.codonId))
  const { checkpoints } = codon
  return (
    before ?? checkpoints['rig-setup'] ?? checkpoints.completed ?? checkpoints.skipped ?? checkpoints.error
  )
}

/** The run in which a codon truly began: one that a rollback took to the end of its rig began in an earlier run. */
function originOf(state: WeaveState, run: RunState, codon: CodonExecution | undefined): RunState {
  const { startedFrom } = run
  if (startedFrom.type === 'fresh' || startedFrom.codonId !== codon?.codonId) return run
  const earlier = state.runs.find(({ runId }) => runId === startedFrom.runId)
  return earlier ? originOf(state, earlier, codon) : run
}
