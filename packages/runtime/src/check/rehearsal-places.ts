import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CodonExecution, currentRun, type Immutable, lineageOf, type WeaveState } from '@weave/protocol'
import * as z from 'zod'
import { readRecords } from '../kit/index.ts'
import type { Places } from '../model-server/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface PlacesOptions {
  readonly layout: Pick<ExecutionLayout, 'internals'>
  readonly state: () => WeaveState
  /** Throws when the execution is not ours any more. */
  readonly assertHeld: () => void
}

/**
 * How far a rehearsal is in its script, as the state sees it: only steps taken by codons of the current
 * run's lineage count. So a rollback gives back the steps of the codons that it undoes, and a codon that was cut off and
 * starts over starts its steps over; its next attempt in the same run goes on.
 *
 * Every answer is a line on disk before it is sent, with the attempt that it belongs to. Rejects when the file is there and
 * cannot be read.
 */
export async function openPlaces({ layout, state, assertHeld }: PlacesOptions): Promise<Places> {
  const file = join(layout.internals, 'rehearsal.jsonl')
  const taken = [...(await readRecords(file, value => takenLine.safeParse(value).data))]
  let counts = new Map<string, number>()
  let countedFor: string | undefined

  function current(): Map<string, number> {
    const runId = currentRun(state())?.runId
    if (runId === countedFor) return counts
    const present = placesIn(state())
    counts = new Map()
    for (const one of taken) if (present.has(placeOf(one))) add(counts, one)
    countedFor = runId
    return counts
  }

  return {
    taken: key => current().get(key) ?? 0,
    take(key, steps) {
      const run = currentRun(state())
      const codon = run?.codons.at(-1)
      const at = { runId: run?.runId ?? '', codonId: codon?.codonId ?? '', attempt: codon?.attempt ?? 0 }
      const one = { ...at, key, steps }
      const counts = current()
      assertHeld()
      // The line feed comes first: what a kill cut off is a line of its own.
      appendFileSync(file, `\n${JSON.stringify(one)}`, { mode: 0o600 })
      taken.push(one)
      add(counts, one)
    },
    all: current,
  }
}

const takenLine = z.strictObject({
  runId: z.string(),
  codonId: z.string(),
  attempt: z.int(),
  /** The placeholder key that asked. */
  key: z.string(),
  steps: z.int().positive(),
})

type Taken = Immutable<z.infer<typeof takenLine>>

function add(counts: Map<string, number>, { key, steps }: Taken): void {
  counts.set(key, (counts.get(key) ?? 0) + steps)
}

/** The attempts that the current run is built on, its own included. */
function placesIn(state: WeaveState): ReadonlySet<string> {
  const runOf = new Map<CodonExecution, string>(
    state.runs.flatMap(({ runId, codons }) => codons.map(codon => [codon, runId] as const)),
  )
  const lineage = lineageOf(state, currentRun(state))
  return new Set(lineage.map(codon => placeOf({ runId: runOf.get(codon) ?? '', ...codon })))
}

function placeOf({ runId, codonId, attempt }: Pick<Taken, 'runId' | 'codonId' | 'attempt'>): string {
  return `${runId} ${attempt} ${codonId}`
}
