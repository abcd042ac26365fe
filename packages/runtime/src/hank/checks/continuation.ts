import { type Collector, collector, type Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import { codonLabel, codonsOf, effectiveModel } from '../codons.ts'
import { onlyExcludes } from '../idle-patterns.ts'
import type { Codon, HankFile } from '../schema.ts'
import { type Continuation, continuationsOf, isContextLoop } from './continuations.ts'
import { quoted } from './labels.ts'

/**
 * What one codon may continue of another (specification 2.3 and 2.7), inside and outside of loops. "The preceding codon"
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
