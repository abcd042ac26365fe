import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, effectiveModel, type PlacedCodon } from '../codons.ts'
import type { Codon, HankFile, Loop } from '../schema.ts'
import { type CheckContext, quoted } from './check.ts'
import { onlyExcludes } from './patterns.ts'

/**
 * What one codon may continue of another, inside and outside of loops. "The preceding codon"
 * of a codon that begins a loop is the one before the loop, and in a loop that repeats also the last one of the loop.
 * Models are compared by what their names mean; an unknown one by its spelling. What follows a `contextExceeded` loop is
 * the business of the rules for loops.
 */
export function checkContinuation(hank: HankFile, context: CheckContext): readonly Problem[] {
  const problems = collector()
  reportFirstCodon(hank, problems)
  for (const continuation of continuationsOf(hank)) {
    if (continuation.kind === 'full-context') continue
    reportOtherModel(continuation, { hank, context, problems })
    reportLooseEnds(continuation, problems)
  }
  return problems.all()
}

function reportFirstCodon(hank: HankFile, problems: Collector): void {
  const first = codonsOf(hank)[0]
  if (first?.codon.continuationMode !== 'continue-previous') return
  const advice = isContextLoop(first.loop)
    ? 'Put a "fresh" codon before the loop, which cannot begin with one itself.'
    : 'Set it to "fresh".'
  problems.warning(
    `${first.where}.continuationMode`,
    `${codonLabel(first)}: continuationMode is "continue-previous", but this codon is the first and starts a new conversation. ${advice}`,
  )
}

interface Surroundings {
  readonly hank: HankFile
  readonly context: CheckContext
  readonly problems: Collector
}

function reportOtherModel(continuation: Continuation, { hank, context, problems }: Surroundings): void {
  const { placed, previous } = continuation
  const model = effectiveModel(placed.codon, hank, context.modelOverride)
  const expected = effectiveModel(previous.codon, hank, context.modelOverride)
  if (model === undefined || expected === undefined || isSame(model, expected, context)) return
  const advice = isContextLoop(placed.loop)
    ? 'Use one model for both.'
    : 'Use one model for both, or set continuationMode to "fresh".'
  problems.error(
    `${placed.where}.${placed.codon.model === undefined ? 'continuationMode' : 'model'}`,
    `${begin(continuation)}, which uses the model ${quoted(expected)}, with another model, ${quoted(model)}. ${advice}`,
  )
}

/** `sonnet` and the full id it stands for are one model. */
function isSame(model: string, expected: string, { identityOf }: CheckContext): boolean {
  if (model === expected) return true
  const identity = identityOf?.(model)
  return identity !== undefined && identity === identityOf?.(expected)
}

function reportLooseEnds(continuation: Continuation, problems: Collector): void {
  const { codon } = continuation.previous
  const where = `${continuation.placed.where}.continuationMode`
  if (!versionsFiles(codon)) {
    const [fault, cure] = codon.checkpointedFiles
      ? ['whose checkpointedFiles select nothing', 'Add a pattern that selects files there.']
      : ['which has no checkpointedFiles', 'Add checkpointedFiles there.']
    problems.warning(
      where,
      `${begin(continuation)}, ${fault}: after a rollback the conversation speaks of files that were not restored. ${cure}`,
    )
  }
  if (codon.onFailure === 'ignore') {
    problems.warning(
      where,
      `${begin(continuation)}, whose failure is ignored (onFailure "ignore"): it may continue a conversation that broke off, or find none. Set onFailure to "abort" or "retry" there.`,
    )
  }
}

function versionsFiles({ checkpointedFiles = [] }: Codon): boolean {
  return checkpointedFiles.length > 0 && !onlyExcludes(checkpointedFiles)
}

function begin({ placed, previous, kind }: Continuation): string {
  const when = kind === 'next-iteration' ? 'from the second iteration on it continues' : 'continues'
  const what = placed.where === previous.where ? 'itself' : codonLabel(previous)
  return `${codonLabel(placed)}: ${when} ${what}`
}

/** One way in which a `continue-previous` codon comes to continue another. */
interface Continuation {
  readonly placed: PlacedCodon
  readonly previous: PlacedCodon
  /**
   * `next`: it runs right after. `next-iteration`: it is first in a loop that repeats, and continues the loop's last codon
   * from the second iteration on. `full-context`: the previous codon is the end of a `contextExceeded` loop.
   */
  readonly kind: 'next' | 'next-iteration' | 'full-context'
}

/** In the order of the file. A codon that begins a repeating loop may have two; the first codon of a hank has no `next`. */
export function continuationsOf(hank: HankFile): readonly Continuation[] {
  const codons = codonsOf(hank)
  return codons.flatMap((placed, at) => {
    if (placed.codon.continuationMode !== 'continue-previous') return []
    const before = codons[at - 1]
    const last = lastOfOwnLoop(codons, at)
    return [
      ...(before ? [{ placed, previous: before, kind: kindOf(before, placed) }] : []),
      ...(last ? [{ placed, previous: last, kind: 'next-iteration' as const }] : []),
    ]
  })
}

export function isContextLoop(loop: Loop | undefined): loop is Loop {
  return loop?.terminateOn.type === 'contextExceeded'
}

/** Whether a second iteration may come. */
export function repeats(loop: Loop): boolean {
  return loop.terminateOn.type === 'contextExceeded' || loop.terminateOn.limit > 1
}

function kindOf(before: PlacedCodon, placed: PlacedCodon): Continuation['kind'] {
  return isContextLoop(before.loop) && before.loop !== placed.loop ? 'full-context' : 'next'
}

/** For the first codon of a loop that repeats: the codon that runs before it from the second iteration on. */
function lastOfOwnLoop(codons: readonly PlacedCodon[], at: number): PlacedCodon | undefined {
  const loop = codons[at]?.loop
  if (!loop || !repeats(loop) || codons[at - 1]?.loop === loop) return undefined
  return codons[at + loop.codons.length - 1]
}
