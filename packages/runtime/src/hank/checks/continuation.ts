import { at, codonsOf, effectiveModel, type PlacedCodon } from '../codons.ts'
import type { Codon, HankFile, Loop } from '../schema.ts'
import { type CheckContext, quoted, type Report } from './check.ts'
import { onlyExcludes } from './patterns.ts'

/**
 * What one codon may continue of another, inside and outside of loops. "The preceding codon" of a codon that begins a
 * loop is the one before the loop, and in a loop that repeats also the last one of the loop. Models are compared by what
 * their names mean; an unknown one by its spelling. What follows a `contextExceeded` loop is the business of `loops.ts`.
 */
export function checkContinuation(hank: HankFile, report: Report, context: CheckContext): void {
  reportFirstCodon(codonsOf(hank)[0], report)
  for (const continuation of continuationsOf(hank)) {
    if (continuation.kind === 'full-context') continue
    const nameOf = ({ codon }: PlacedCodon) => effectiveModel(codon, hank, context.modelOverride)
    const models = { own: nameOf(continuation.placed), other: nameOf(continuation.previous) }
    if (!isSame(models, context)) reportOtherModel(continuation, models, report)
    reportLooseEnds(continuation, report)
  }
}

function reportFirstCodon(first: PlacedCodon | undefined, { warning }: Report): void {
  if (first?.codon.continuationMode !== 'continue-previous') return
  const advice = isContextLoop(first.loop)
    ? 'Put a "fresh" codon before the loop, which cannot begin with one itself.'
    : 'Set it to "fresh".'
  warning(
    'hank/continuation-first',
    {
      ...at(first, 'continuationMode'),
      cure: isContextLoop(first.loop) ? undefined : { instead: 'fresh' },
    },
    `continuationMode is "continue-previous", but this codon is the first and starts a new conversation. ${advice}`,
  )
}

interface Models {
  readonly own: string | undefined
  readonly other: string | undefined
}

/** `sonnet` and the full id it stands for are one model; that a codon has none is told elsewhere. */
function isSame({ own, other }: Models, { identityOf }: CheckContext): boolean {
  if (own === undefined || other === undefined || own === other) return true
  const identity = identityOf?.(own)
  return identity !== undefined && identity === identityOf?.(other)
}

function reportOtherModel(
  continuation: Continuation,
  { own = '', other = '' }: Models,
  { error }: Report,
): void {
  const { placed } = continuation
  const orFresh = isContextLoop(placed.loop) ? '' : ', or set continuationMode to "fresh"'
  error(
    'hank/continuation',
    at(placed, placed.codon.model === undefined ? 'continuationMode' : 'model'),
    `${begin(continuation)}, which uses the model ${quoted(other)}, with another model, ${quoted(own)}. Use one model for both${orFresh}.`,
  )
}

function reportLooseEnds(continuation: Continuation, { warning }: Report): void {
  const { codon } = continuation.previous
  const about = at(continuation.placed, 'continuationMode')
  if (!versionsFiles(codon)) {
    const [fault, cure] = codon.checkpointedFiles
      ? ['whose checkpointedFiles select nothing', 'Add a pattern that selects files there.']
      : ['which has no checkpointedFiles', 'Add checkpointedFiles there.']
    warning(
      'hank/continuation-unversioned',
      about,
      `${begin(continuation)}, ${fault}: after a rollback the conversation speaks of files that were not restored. ${cure}`,
    )
  }
  if (codon.onFailure === 'ignore') {
    warning(
      'hank/continuation-ignored',
      about,
      `${begin(continuation)}, whose failure is ignored (onFailure "ignore"): it may continue a conversation that broke off, or find none. Set onFailure to "abort" or "retry" there.`,
    )
  }
}

function versionsFiles({ checkpointedFiles = [] }: Codon): boolean {
  return checkpointedFiles.length > 0 && !onlyExcludes(checkpointedFiles)
}

function begin({ placed, previous, kind }: Continuation): string {
  const when = kind === 'next-iteration' ? 'from the second iteration on it continues' : 'continues'
  return `${when} ${placed.where === previous.where ? 'itself' : previous.label}`
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
  return codons.flatMap((placed, index) => {
    if (placed.codon.continuationMode !== 'continue-previous') return []
    const before = codons[index - 1]
    const last = lastOfOwnLoop(codons, index)
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
function lastOfOwnLoop(codons: readonly PlacedCodon[], index: number): PlacedCodon | undefined {
  const loop = codons[index]?.loop
  if (!loop || !repeats(loop) || codons[index - 1]?.loop === loop) return undefined
  return codons[index + loop.codons.length - 1]
}
