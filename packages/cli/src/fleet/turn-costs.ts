import { executionLayout, readCosts } from '@weave/runtime'
import type { CodonCosts } from 'weave-fleet'

/** What the execution has cost up to now, by codon and model. What cannot be read costs nobody his result. */
export async function costsIn(dir: string): Promise<readonly CodonCosts[]> {
  const found = await readCosts(executionLayout(dir)).catch(() => undefined)
  return (found?.codons ?? []).map(({ codonId, provider, model, attempts, cost, costUnknown, classes }) => {
    const tokens = (name: string) => classes.find(each => each.class === name)?.tokens ?? 0
    return {
      codon: codonId,
      model: provider === undefined ? model : `${provider}/${model}`,
      attempts,
      in: tokens('input'),
      out: tokens('output'),
      cacheWrite: tokens('cacheWrite'),
      cacheRead: tokens('cacheRead'),
      dollars: cost,
      isKnown: !costUnknown,
    }
  })
}
