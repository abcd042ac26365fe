import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { executionName, slugOf } from '../../src/workspace/set-aside.ts'

const now = new Date('2026-03-04T05:06:07.890Z')
const dataHash = 'abcdef0123456789'

describe('the name of an execution', () => {
  verifies(['d3/directory-name'], 'is slug, UTC time and six digits of the data hash', () => {
    const parts = { hankName: 'Weekly Report', hankPath: '/hanks/hank.json', dataHash, now }
    expect(executionName(parts)).toBe('weekly-report-20260304-050607-abcdef')
    expect(executionName({ ...parts, dataHash: `partial:${dataHash}` })).toBe(
      'weekly-report-20260304-050607-abcdef',
    )
    expect(executionName({ ...parts, attempt: 3 })).toBe('weekly-report-20260304-050607-abcdef-3')
  })

  verifies(['d3/directory-slug'], 'takes the file stem when the hank has no name', () => {
    const parts = { hankPath: '/hanks/My Flow.json', dataHash, now }
    expect(executionName(parts)).toMatch(/^my-flow-/)
    expect(executionName({ ...parts, hankName: '  ' })).toMatch(/^my-flow-/)
    expect(executionName({ ...parts, hankName: 'Named' })).toMatch(/^named-/)
  })
})

describe('a slug', () => {
  it.each([
    ['Crème Brûlée №1', 'creme-brulee-no1'],
    ['  --Hello,   World!--  ', 'hello-world'],
    ['../../etc/passwd', 'etc-passwd'],
    ['日本語 レポート', '日本語-レポート'],
    ['한국어', '한국어'],
    ['ÅNGSTRÖM', 'angstrom'],
    ['🎉🎉', 'hank'],
    ['', 'hank'],
    ['.hidden', 'hidden'],
    ['a\u0000b\nc', 'a-b-c'],
  ])('of %j is %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })

  it('is never longer than 80 bytes and never ends in a hyphen', () => {
    for (const name of ['x'.repeat(500), '語'.repeat(500), `${'x'.repeat(79)} yz`]) {
      const slug = slugOf(name)
      expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(80)
      expect(slug).toMatch(/[^-]$/)
      expect(Buffer.from(slug).toString()).toBe(slug)
    }
  })
})
