import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { tightest } from '../budget-arithmetic.ts'
import {
  codonLabel,
  codonsOf,
  isLoop,
  loopLabel,
  loopsOf,
  type PlacedCodon,
  type PlacedLoop,
} from '../codons.ts'
import type { HankFile } from '../schema.ts'
import type { CheckContext } from './check.ts'
import { continuationsOf, isContextLoop } from './continuation.ts'

/** What loops allow and what deserves a second look in them. The models in a loop are with the rules of continuation. */
export function checkLoops(hank: HankFile, context: CheckContext): readonly Problem[] {
  const problems = collector()
  for (const placed of codonsOf(hank)) {
    if (placed.loop) reportLoopCodon(placed, problems)
  }
  reportContinuedFullContext(hank, problems)
  for (const placed of loopsOf(hank)) {
    if (isUnbounded(placed, hank, context)) reportUnbounded(placed, problems)
  }
  return problems.all()
}

function reportLoopCodon(placed: PlacedCodon, problems: Collector): void {
  const { codon, where, loop } = placed
  const label = codonLabel(placed)
  // The shape has no place for a loop in a loop; whoever comes here without that check still gets a clear word.
  if (isLoop(codon)) {
    problems.error(
      where,
      `${label}: a loop cannot stand inside a loop. Move it to the top level of the hank, or its codons into the outer loop.`,
    )
    return
  }
  if (isContextLoop(loop) && codon.continuationMode === 'fresh') {
    problems.error(
      `${where}.continuationMode`,
      `${label}: a loop with terminateOn "contextExceeded" cannot hold a "fresh" codon, because a new conversation never fills the context. Set continuationMode to "continue-previous", or use an iterationLimit.`,
    )
  }
  reportUnforgivingRig(placed, problems)
  if (codon.onFailure === undefined) {
    problems.warning(
      where,
      `${label}: has no onFailure, so one failure in any iteration stops the whole hank ("abort" is the default). Write onFailure to say what is meant.`,
    )
  }
}

function reportUnforgivingRig(placed: PlacedCodon, problems: Collector): void {
  const unforgiving = (placed.codon.rigSetup ?? []).findIndex(operation => operation.allowFailure !== true)
  if (unforgiving === -1) return
  problems.warning(
    `${placed.where}.rigSetup[${unforgiving}]`,
    `${codonLabel(placed)}: its rigSetup runs again in every iteration and fails the codon when an operation fails. Set allowFailure to true where a repetition may fail.`,
  )
}

/** The codon after such a loop, be it the first one of the next loop, would begin with a context that is already full. */
function reportContinuedFullContext(hank: HankFile, problems: Collector): void {
  for (const { placed, previous, kind } of continuationsOf(hank)) {
    if (kind !== 'full-context') continue
    const advice = isContextLoop(placed.loop)
      ? 'Put a "fresh" codon between the two loops.'
      : 'Set continuationMode to "fresh".'
    problems.error(
      `${placed.where}.continuationMode`,
      `${codonLabel(placed)}: follows the loop "${previous.loop?.id}", which ends when the context is full, so there is no room to continue. ${advice}`,
    )
  }
}

/** Caps of codons do not count: they start over with every iteration. */
function isUnbounded({ loop }: PlacedLoop, hank: HankFile, { ceilings }: CheckContext): boolean {
  if (!isContextLoop(loop)) return false
  const budgets = [loop.budget, hank.overrides?.budget, ceilings]
  const limits = budgets.flatMap(budget => [budget?.maxDollars, budget?.maxTimeSeconds])
  return tightest(...limits) === undefined
}

function reportUnbounded(placed: PlacedLoop, problems: Collector): void {
  problems.warning(
    placed.where,
    `${loopLabel(placed)}: repeats until the context is full and has no budget, so nothing bounds its cost. Give the loop or the hank a budget with maxDollars or maxTimeSeconds.`,
  )
}
