import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { checkIdentity } from '../../../src/hank/checks/identity.ts'
import { places, told } from './problems.ts'

describe('identity', () => {
  verifies(
    ['2.3/id-unique', '2.7/id-unique', '2.7/duplicate-codon-ids', '7.3/load-duplicate-ids'],
    'an id that is used twice is an error, wherever the two stand',
    async () => {
      const table = [
        [hankOf([codonOf('a'), codonOf('a', { name: 'Other' })]), 'hank[1].id'],
        [hankOf([loopOf('l', [codonOf('a'), codonOf('a', { name: 'Other' })])]), 'hank[0].codons[1].id'],
        [hankOf([codonOf('a'), loopOf('l', [codonOf('a', { name: 'Other' })])]), 'hank[1].codons[0].id'],
        [hankOf([loopOf('l', [codonOf('a')]), loopOf('l', [codonOf('b')])]), 'hank[1].id'],
        [hankOf([loopOf('l', [codonOf('l')])]), 'hank[0].codons[0].id'],
        [hankOf([codonOf('x'), loopOf('x', [codonOf('a')])]), 'hank[1].id'],
      ] as const
      for (const [hank, where] of table) expect(await places(checkIdentity, hank)).toEqual([`error ${where}`])
    },
  )

  it('says who has the id already', async () => {
    const hank = hankOf([loopOf('fix', [codonOf('a')]), codonOf('fix')])
    expect(await told(checkIdentity, hank)).toEqual([
      'error: hank[1].id: Codon 2 (fix): the id "fix" is already taken by Loop 1 (fix) at hank[0]. Ids are unique in the whole hank, loops and their codons included; choose another one.',
    ])
  })

  it('keeps the ids free that iterations have at run time', async () => {
    const loop = loopOf('fix', [codonOf('review')])
    const place = (id: string) => places(checkIdentity, hankOf([codonOf(id), loop]))
    expect(await place('review#0')).toEqual(['error hank[0].id'])
    expect(await place('review#12')).toEqual(['error hank[0].id'])
    for (const id of ['review#', 'review#x', 'review#01', 'fix#0', '#0']) expect(await place(id)).toEqual([])
    expect(await places(checkIdentity, hankOf([codonOf('once'), codonOf('once#0')]))).toEqual([])
  })

  verifies(
    ['2.3/name-duplicate-warns', '2.7/duplicate-codon-names', '7.3/warn-duplicate-names'],
    'codons with the same name give a warning, in and outside of loops',
    async () => {
      const named = (id: string) => codonOf(id, { name: 'Same' })
      expect(await told(checkIdentity, hankOf([named('a'), named('b')]))).toEqual([
        'warning: hank[1].name: Codon 2 (b): the name "Same" is also that of Codon 1 (a). Give each codon its own name to tell them apart.',
      ])
      const inLoop = hankOf([loopOf('l', [named('a'), named('b')])])
      expect(await places(checkIdentity, inLoop)).toEqual(['warning hank[0].codons[1].name'])
    },
  )

  it('says nothing about ids and names that differ', async () => {
    const hank = hankOf([codonOf('a'), loopOf('l', [codonOf('b'), codonOf('c')], { name: 'The codon a' })])
    expect(await told(checkIdentity, hank)).toEqual([])
    expect(await told(checkIdentity, hankOf([codonOf('constructor'), codonOf('__proto__')]))).toEqual([])
  })
})
