import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { costLines } from '../../src/report/costs.ts'
import { costs, noCosts } from './costs.ts'

describe('costs for people', () => {
  verifies(
    ['d9/unknown-price-shown'],
    'show codons, sentinels apart, sums, and prices with their source and date; what is unknown is called so',
    () => {
      expect(costLines(costs)).toEqual([
        'CODON     MODEL     ATTEMPTS  IN     OUT   CACHE WRITE  CACHE READ  COST',
        'draft     claude-x  2         12.3k  6.0k  0            2.0M        $1.25',
        'review#0  llama     1         10     5     0            0           unknown',
        '',
        'SENTINEL  CODON  CALLS  IN   OUT  COST',
        'narrator  draft  3      700  50   $0.5000',
        'Of the first sentinel with a model a health check is one of the calls.',
        '',
        'Codons     $1.25 + unknown',
        'Sentinels  $0.5000',
        'Total      $1.75 + unknown',
        '',
        'Prices for a million tokens',
        '  claude-x  in $3, out $15, cache write $3.75, cache read $0.3  a list, of 2026, 2026-11-02; long requests cost more',
        '  llama     not known',
      ])
    },
  )

  test('say that there are none', () => {
    expect(costLines(noCosts)).toEqual(['Nothing was spent: no codon has started.'])
  })

  test('keep what a hank says away from the terminal', () => {
    const [draft] = costs.codons
    const hostile = { ...costs, codons: draft ? [{ ...draft, codonId: 'a\u001b[2Jb\nc' }] : [] }
    const text = costLines(hostile).join('\n')
    expect(text).toContain('a\\u{1b}[2Jb c')
    expect(text).not.toContain('\u001b')
  })
})
