import type { CodonCost, CostReport } from '@weave/runtime'

/** A report as an execution leaves it: a codon with known prices, one without, and a sentinel. */
const draft: CodonCost = {
  codonId: 'draft',
  codonName: 'Draft',
  model: 'claude-x',
  provider: 'anthropic',
  attempts: 2,
  cost: 1.25,
  costUnknown: false,
  classes: [
    { class: 'input', tokens: 12_345, price: 3, dollars: 0.037035 },
    { class: 'output', tokens: 6_000, price: 15, dollars: 0.09 },
    { class: 'cacheWrite', tokens: 0, price: 3.75, dollars: 0 },
    { class: 'cacheRead', tokens: 2_000_000, price: 0.3, dollars: 0.6 },
  ],
  prices: { source: 'a list, of 2026', date: '2026-11-02', hasTiers: true },
}

const local: CodonCost = {
  codonId: 'review#0',
  codonName: 'Review',
  model: 'llama',
  attempts: 1,
  cost: 0,
  costUnknown: true,
  classes: [
    { class: 'input', tokens: 10 },
    { class: 'output', tokens: 5 },
    { class: 'cacheWrite', tokens: 0 },
    { class: 'cacheRead', tokens: 0 },
  ],
}

export const costs: CostReport = {
  codons: [draft, local],
  sentinels: [
    {
      codonId: 'draft',
      sentinelId: 'narrator',
      cost: 0.5,
      costUnknown: false,
      calls: 3,
      tokens: { input: 700, output: 50 },
    },
  ],
  totals: { codons: 1.25, sentinels: 0.5, all: 1.75 },
  costUnknown: true,
}

export const noCosts: CostReport = {
  codons: [],
  sentinels: [],
  totals: { codons: 0, sentinels: 0, all: 0 },
  costUnknown: false,
}
