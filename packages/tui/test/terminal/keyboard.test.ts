import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeKeys, flushKeys, type Key } from '../../src/terminal/keyboard.ts'

const names = (text: string): readonly string[] =>
  decodeKeys(text).keys.map(key => (key.name === 'character' ? key.character : key.name))

describe('keys', () => {
  it('reads characters, arrows in both spellings, and the keys around them', () => {
    expect(names('q\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~\t\x1b[Z\r\x7f\x03é')).toEqual([
      'q',
      'up',
      'down',
      'page-up',
      'page-down',
      'home',
      'end',
      'home',
      'end',
      'tab',
      'back-tab',
      'enter',
      'backspace',
      'interrupt',
      'é',
    ])
  })

  it('passes over sequences that it does not know, and reads modified arrows as arrows', () => {
    expect(names('\x1b[1;5Ax\x1b[15~y\x1b[200zz')).toEqual(['up', 'x', 'y', 'z'])
  })

  it('waits for the rest of a sequence, and takes Escape for itself when nothing follows', () => {
    expect(decodeKeys('a\x1b')).toEqual({ keys: [{ name: 'character', character: 'a' }], rest: '\x1b' })
    expect(flushKeys('\x1b')).toEqual([{ name: 'escape' }])
    expect(flushKeys('\x1b[')).toEqual([])
    expect(names('\x1b\x1b[A')).toEqual(['escape', 'up'])
  })

  it('takes pasted text as one thing and never as keys', () => {
    expect(decodeKeys('\x1b[200~qqy\x1b[A\x1b[201~n').keys).toEqual([
      { name: 'paste', text: 'qqy\x1b[A' },
      { name: 'character', character: 'n' },
    ])
    expect(decodeKeys('\x1b[200~qq')).toEqual({ keys: [], rest: '\x1b[200~qq' })
  })

  it('reads the same keys however the text was cut on its way', () => {
    const pieces = fc.array(fc.constantFrom('a', '\x1b[A', '\x1b[5~', '\r', '\x1b[200~q\x1b[201~', '日'), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (parts, sizes) => {
        const whole = parts.join('')
        const keys: Key[] = []
        let rest = ''
        for (let at = 0; at < whole.length; ) {
          const size = sizes.next().value ?? 1
          const decoded = decodeKeys(rest + whole.slice(at, at + size))
          keys.push(...decoded.keys)
          rest = decoded.rest
          at += size
        }
        expect(keys).toEqual(decodeKeys(whole).keys)
      }),
    )
  })
})
