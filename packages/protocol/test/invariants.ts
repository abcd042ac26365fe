import { isDeepStrictEqual } from 'node:util'
import { type CodonExecution, type RunState, type WeaveState, weaveState } from '../src/index.ts'

/**
 * The invariants of a state (S3, S4, S5 of `reduce.ts`, and what decisions 4 says of each status), checked without any
 * help of the reducer. Gives the broken ones in words.
 */
export function violations(state: WeaveState): readonly string[] {
  return [...shapeFaults(state), ...orderFaults(state), ...moneyFaults(state), ...codonFaults(state)]
}

/** The schema drops what it does not know, so a state that comes back unchanged has nothing but its own fields. */
function shapeFaults(state: WeaveState): string[] {
  const parsed = weaveState.safeParse(state)
  if (!parsed.success) return [`not a state: ${parsed.error.message}`]
  return isDeepStrictEqual(parsed.data, state) ? [] : ['the state has fields that its statuses may not have']
}

function orderFaults({ runs, currentRunId }: WeaveState): string[] {
  const faults: string[] = []
  if (currentRunId !== (runs.at(-1)?.runId ?? null))
    faults.push(`current run ${currentRunId} is not the last`)
  if (new Set(runs.map(run => run.runId)).size !== runs.length) faults.push('two runs have one id')
  for (const [index, run] of runs.entries()) {
    const last = index === runs.length - 1
    if (run.status === 'running' && !last) faults.push(`run ${run.runId} is running and not the last`)
    if ((run.status === 'running') === 'endTime' in run) faults.push(`the end of run ${run.runId} is wrong`)
    faults.push(...liveFaults(run), ...attemptFaults(run))
  }
  return faults
}

function liveFaults(run: RunState): string[] {
  return run.codons
    .filter(
      (codon, index) => !hasEnded(codon) && !(run.status === 'running' && index === run.codons.length - 1),
    )
    .map(codon => `${codon.codonId} is ${codon.status} but not the last codon of a running run`)
}

function attemptFaults(run: RunState): string[] {
  const attempts = new Map<string, number>()
  return run.codons.flatMap(({ codonId, attempt }) => {
    const earlier = attempts.get(codonId) ?? 0
    attempts.set(codonId, attempt)
    return attempt === 1 || attempt === earlier + 1
      ? []
      : [`attempt ${attempt} of ${codonId} follows ${earlier}`]
  })
}

function moneyFaults(state: WeaveState): string[] {
  const faults: string[] = []
  for (const run of state.runs) {
    const spent = run.codons.flatMap(codon => [
      codon.cost,
      ...(codon.sentinels ?? []).map(({ cost }) => cost),
    ])
    if (differ(sum(spent), run.cost)) faults.push(`run ${run.runId} has cost ${run.cost}, not ${sum(spent)}`)
  }
  const total = sum(state.runs.map(run => run.cost))
  return differ(total, state.totalCost)
    ? [...faults, `the total is ${state.totalCost}, not ${total}`]
    : faults
}

function codonFaults({ runs }: WeaveState): string[] {
  return runs
    .flatMap(run => run.codons)
    .flatMap(codon => {
      const has = (field: string) => Object.hasOwn(codon, field)
      const failed = codon.status === 'failed'
      const needed: readonly [string, boolean][] = [
        ['endTime', hasEnded(codon)],
        ['failureReason', failed],
        ['failedDuring', failed],
      ]
      return needed
        .filter(([field, wanted]) => has(field) !== wanted)
        .map(([field, wanted]) => `${codon.status} ${codon.codonId} ${wanted ? 'lacks' : 'carries'} ${field}`)
    })
}

function hasEnded({ status }: CodonExecution): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped'
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}

function differ(a: number, b: number): boolean {
  return !(Math.abs(a - b) <= 1e-9)
}
