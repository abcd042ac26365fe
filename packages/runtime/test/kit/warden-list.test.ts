import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatList, parseList } from '../../src/kit/warden-program.ts'

describe('the list of a warden', () => {
  it('is one line that begins with the bare ids and gives back every name', () => {
    const names = fc.array(fc.record({ pid: fc.nat(), startTime: fc.string() }, { requiredKeys: ['pid'] }))
    fc.assert(
      fc.property(names, list => {
        const line = formatList(list)
        expect(line).not.toContain('\n')
        expect(line.split(';')[0]).toBe(list.map(({ pid }) => pid).join(' '))
        expect(parseList(line)).toEqual(list)
      }),
    )
  })

  it.each([
    '',
    ';',
    'nonsense',
    '1 2;',
    ';{}',
    ';null',
    ';[1,null,{"pid":"1"},{"pid":1.5},{"pid":1,"startTime":2}]',
  ])('has no names when it reads %j', line => {
    expect(parseList(line)).toEqual([])
  })
})
