/**
 * The search of a bisect: which version is tested next, and what the verdicts until now say. The versions stand in a row;
 * the first should be good and the last bad. Pure.
 */
export type Verdict = 'good' | 'bad' | 'skip'

/** Of each version in the row; undefined: not tested yet. */
export type Verdicts = readonly (Verdict | undefined)[]

export type BisectStep =
  | { readonly kind: 'test'; readonly at: number }
  /** `bad` is the first bad one, and `good`, the one before it, is good. */
  | { readonly kind: 'found'; readonly good: number; readonly bad: number }
  /** All that are left between the two ask to be skipped. */
  | { readonly kind: 'range'; readonly good: number; readonly bad: number }
  /** The first one that can be judged is bad. */
  | { readonly kind: 'bad-at-beginning'; readonly at: number }
  /** The last one that can be judged is good. */
  | { readonly kind: 'good-at-end'; readonly at: number }
  | { readonly kind: 'all-skipped' }

/** Both ends first; then the middle of what is open. Where that is skipped, its nearest neighbour that is not tested. */
export function nextStep(verdicts: Verdicts): BisectStep {
  const low = verdicts.findIndex(verdict => verdict !== 'skip')
  if (low === -1) return { kind: 'all-skipped' }
  if (verdicts[low] === undefined) return { kind: 'test', at: low }
  if (verdicts[low] === 'bad') return { kind: 'bad-at-beginning', at: low }
  const high = verdicts.findLastIndex(verdict => verdict !== 'skip')
  if (verdicts[high] === undefined) return { kind: 'test', at: high }
  if (verdicts[high] === 'good') return { kind: 'good-at-end', at: high }
  const bad = verdicts.indexOf('bad')
  return narrow(verdicts, { good: verdicts.slice(0, bad).lastIndexOf('good'), bad })
}

/** The next one in the order of the row, for those who want to know of every version. */
export function nextInRow(verdicts: Verdicts): number | undefined {
  const at = verdicts.indexOf(undefined)
  return at === -1 ? undefined : at
}

function narrow(
  verdicts: Verdicts,
  { good, bad }: { readonly good: number; readonly bad: number },
): BisectStep {
  if (bad - good === 1) return { kind: 'found', good, bad }
  const middle = good + Math.floor((bad - good) / 2)
  for (let away = 0; away < bad - good; away++) {
    for (const at of [middle - away, middle + away])
      if (at > good && at < bad && verdicts[at] === undefined) return { kind: 'test', at }
  }
  return { kind: 'range', good, bad }
}

/** How often neighbours in the row differ; more than once: the command's verdict comes and goes. */
export function changesIn(verdicts: Verdicts): number {
  const judged = verdicts.filter(verdict => verdict === 'good' || verdict === 'bad')
  return judged.filter((verdict, at) => at > 0 && verdict !== judged[at - 1]).length
}
