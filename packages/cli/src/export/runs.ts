import type { EndedSpan } from '@weave/runtime'

/** The spans of one run, by its id or the beginning of it; of all runs without a word. */
export function chosenRuns(word: string | undefined) {
  const seen = new Set<string>()
  const chosen = new Set<string>()
  return {
    of(spans: readonly EndedSpan[]): readonly EndedSpan[] {
      if (word === undefined) return spans
      return spans.filter(({ runId }) => {
        seen.add(runId)
        const fits = runId === word || runId.startsWith(word)
        if (fits) chosen.add(runId)
        return fits
      })
    },
    /** Why that was not just one run. */
    problem(): string | undefined {
      if (word === undefined || chosen.size === 1) return undefined
      if (chosen.size > 1) return `${chosen.size} runs begin with ${word}: ${[...chosen].join(', ')}.`
      return `There is no run ${word} in it. There are: ${[...seen].join(', ') || 'none'}.`
    },
  }
}
