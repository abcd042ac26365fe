import { describe, expect, test } from 'vitest'
import { costCsv } from '../../src/report/costs.ts'
import { costs, noCosts } from './costs.ts'

const heads =
  'codon,sentinel,model,attempts,class,tokens,dollars_per_million,dollars_at_price,cost,cost_known,price_source,price_date'

describe('costs for spreadsheets', () => {
  test('have a line for each class of tokens and each sum, and leave empty what is not known', () => {
    expect(costCsv(costs).split('\r\n')).toEqual([
      heads,
      'draft,,claude-x,2,input,12345,3,0.037035,,,"a list, of 2026",2026-11-02',
      'draft,,claude-x,2,output,6000,15,0.09,,,"a list, of 2026",2026-11-02',
      'draft,,claude-x,2,cacheWrite,0,3.75,0,,,"a list, of 2026",2026-11-02',
      'draft,,claude-x,2,cacheRead,2000000,0.3,0.6,,,"a list, of 2026",2026-11-02',
      'draft,,claude-x,2,all,,,,1.25,yes,"a list, of 2026",2026-11-02',
      'review#0,,llama,1,input,10,,,,,,',
      'review#0,,llama,1,output,5,,,,,,',
      'review#0,,llama,1,cacheWrite,0,,,,,,',
      'review#0,,llama,1,cacheRead,0,,,,,,',
      'review#0,,llama,1,all,,,,,no,,',
      'draft,narrator,,,all,750,,,0.5,yes,,',
    ])
    expect(costCsv(noCosts)).toBe(heads)
  })

  test('have as many cells in each line as there are heads', () => {
    const plain = { ...costs, codons: costs.codons.map(({ prices: _source, ...codon }) => codon) }
    const counts = costCsv(plain)
      .split('\r\n')
      .map(line => line.split(',').length)
    expect(new Set(counts)).toEqual(new Set([12]))
  })

  test('mark a cost that is known in part', () => {
    const [draft] = costs.codons
    const part = { ...noCosts, codons: draft ? [{ ...draft, costUnknown: true }] : [] }
    expect(costCsv(part)).toContain(',all,,,,1.25,in part,')
  })

  test('quote what needs it, and let no text become a formula', () => {
    const [draft] = costs.codons
    const odd = (codonId: string) => ({ ...noCosts, codons: draft ? [{ ...draft, codonId }] : [] })
    expect(costCsv(odd('a,"b"'))).toContain('\r\n"a,""b""",,claude-x')
    expect(costCsv(odd('=1+1'))).toContain("\r\n'=1+1,,claude-x")
    expect(costCsv(odd('\u001b[2J'))).not.toContain('\u001b')
  })
})
