import { tightest } from '../budget-arithmetic.ts'
import { at, codonsOf, isLoop, loopsOf, type PlacedCodon } from '../codons.ts'
import type { Cure } from '../cures.ts'
import type { HankFile, Loop } from '../schema.ts'
import type { CheckContext, Report } from './check.ts'
import { continuationsOf, isContextLoop } from './continuation.ts'

/** What loops allow and what deserves a second look in them. The models in a loop are with the rules of continuation. */
export function checkLoops(hank: HankFile, report: Report, context: CheckContext): void {
  for (const placed of codonsOf(hank)) {
    if (placed.loop) reportLoopCodon(placed, report)
  }
  reportContinuedFullContext(hank, report)
  for (const placed of loopsOf(hank)) {
    if (!isUnbounded(placed.loop, hank, context)) continue
    report.warning(
      'hank/loop-unbounded',
      placed,
      'repeats until the context is full and has no budget, so nothing bounds its cost. Give the loop or the hank a budget with maxDollars or maxTimeSeconds.',
    )
  }
}

function reportLoopCodon(placed: PlacedCodon, { error, warning }: Report): void {
  const { codon, loop } = placed
  // The shape has no place for a loop in a loop; whoever comes here without that check still gets a clear word.
  if (isLoop(codon)) {
    error(
      'hank/loop',
      placed,
      'a loop cannot stand inside a loop. Move it to the top level of the hank, or its codons into the outer loop.',
    )
    return
  }
  if (isContextLoop(loop) && codon.continuationMode === 'fresh') {
    error(
      'hank/loop-fresh',
      at(placed, 'continuationMode'),
      'a loop with terminateOn "contextExceeded" cannot hold a "fresh" codon, because a new conversation never fills the context. Set continuationMode to "continue-previous", or use an iterationLimit.',
    )
  }
  const unforgiving = (codon.rigSetup ?? []).findIndex(({ allowFailure }) => allowFailure !== true)
  if (unforgiving !== -1) {
    warning(
      'hank/loop-rig',
      { ...at(placed, `rigSetup[${unforgiving}]`), cure: forgiving(codon.rigSetup?.[unforgiving]) },
      'its rigSetup runs again in every iteration and fails the codon when an operation fails. Set allowFailure to true where a repetition may fail.',
    )
  }
  if (codon.onFailure === undefined) {
    warning(
      'hank/loop-failure',
      { where: placed.where, label: placed.label, cure: { add: 'onFailure', value: 'abort' } },
      'has no onFailure, so one failure in any iteration stops the whole hank ("abort" is the default). Write onFailure to say what is meant.',
    )
  }
}

/** The codon after such a loop, be it the first one of the next loop, would begin with a context that is already full. */
function reportContinuedFullContext(hank: HankFile, { error }: Report): void {
  for (const { placed, previous, kind } of continuationsOf(hank)) {
    if (kind !== 'full-context') continue
    const advice = isContextLoop(placed.loop)
      ? 'Put a "fresh" codon between the two loops.'
      : 'Set continuationMode to "fresh".'
    error(
      'hank/continuation-full',
      at(placed, 'continuationMode'),
      `follows the loop "${previous.loop?.id}", which ends when the context is full, so there is no room to continue. ${advice}`,
    )
  }
}

/** Caps of codons do not count: they start over with every iteration. */
function isUnbounded(loop: Loop, hank: HankFile, { ceilings }: CheckContext): boolean {
  if (!isContextLoop(loop)) return false
  const budgets = [loop.budget, hank.overrides?.budget, ceilings]
  const limits = budgets.flatMap(budget => [budget?.maxDollars, budget?.maxTimeSeconds])
  return tightest(...limits) === undefined
}

/** Where it says the opposite, a person has meant it. */
function forgiving(operation: { readonly allowFailure?: boolean | undefined } | undefined): Cure | undefined {
  return operation?.allowFailure === undefined ? { add: 'allowFailure', value: true } : undefined
}
