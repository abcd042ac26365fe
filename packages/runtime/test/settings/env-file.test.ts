import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { formatProblem } from '../../src/kit/index.ts'
import { parseEnvFile, readEnvFile } from '../../src/settings/env-file.ts'

const read = (text: string) => Object.fromEntries(parseEnvFile(text, '.env').variables)
const complaints = (text: string) => parseEnvFile(text, '.env').problems.map(formatProblem)

describe('a file of variables', () => {
  verifies(['repair/env-file-as-node'], 'has names, values, quotes, comments and empty lines', () => {
    const text = [
      '# keys',
      '',
      'A=1',
      'export B = two words  ',
      'C="x\\ny" # why',
      "D='a#b'",
      'E=',
      'F=a b # why',
      'G="over',
      'two lines"',
      'H=`q"q`',
      'I=a"b"',
      'J=$A',
    ].join('\n')
    const meant = {
      A: '1',
      B: 'two words',
      C: 'x\ny',
      D: 'a#b',
      E: '',
      F: 'a b',
      G: 'over\ntwo lines',
      H: 'q"q',
      I: 'a"b"',
      J: '$A',
    }
    expect(read(text)).toEqual(meant)
    expect({ ...parseEnv(text) }).toEqual(meant)
  })

  verifies(['repair/env-file-as-node'], 'means what Node makes of it', () => {
    const name = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/)
    const plain = fc.stringMatching(/^(?:[\w$./:@-]{1,6} ?){0,3}$/)
    const value = fc.oneof(
      plain,
      plain.map(text => `${text} # a comment`),
      fc.stringMatching(/^[\w "'#=$\n\\]{0,12}$/).map(text => `\`${text}\``),
      fc.stringMatching(/^[\w '`#=$\n\\]{0,12}$/).map(text => `"${text}"`),
    )
    const line = fc
      .tuple(fc.constantFrom('', 'export '), fc.constantFrom('=', ' = '))
      .chain(([before, sign]) =>
        fc.tuple(name, value).map(([first, second]) => {
          // Before a name without a value newer versions of Node take the word export for a part of the name.
          const exported = /^\s*(?:#|$)/.test(second) ? '' : before
          return [first, `${exported}${first}${sign}${second}`] as const
        }),
      )
    const lines = fc.uniqueArray(line, { selector: ([first]) => first, maxLength: 6 })
    fc.assert(
      fc.property(lines, written => {
        const text = written.map(([, spelled]) => spelled).join('\n\n# between\n')
        expect(complaints(text)).toEqual([])
        expect(read(text)).toEqual({ ...parseEnv(text) })
      }),
      { numRuns: 1_000 },
    )
  })

  verifies(
    ['repair/env-file-place'],
    'has a place for everything that is wrong, and repeats no secret',
    () => {
      const text = 'A=1\n  sk-secret-of-mine\nB=pass#word\nA=2\nC="one" two\nD=\'open\n\n'
      expect(complaints(text)).toEqual([
        '.env:2:3: error: expected NAME=value, a comment after #, or an empty line',
        '.env:3:7: error: quote a value that has a # in it',
        '.env:4:1: error: A is there twice, first in line 1. Remove one.',
        '.env:5:3: error: something follows the closing " of this value',
      ])
      expect(complaints("A='open\n\nB=1")).toEqual([".env:1:3: error: the quote ' is never closed"])
      expect(complaints('  A=x\0y')).toEqual(['.env:1:3: error: a variable cannot hold the character NUL'])
      expect(read(text)).toEqual({})
    },
  )

  verifies(
    ['repair/env-file-place'],
    'that is not there, no file or no text is a problem of the file',
    async () => {
      const dir = await tempDir()
      mkdirSync(join(dir, 'folder'))
      writeFileSync(join(dir, 'latin'), Buffer.from([0x41, 0x3d, 0xe9]))
      const problemOf = async (name: string) => (await readEnvFile(name, dir)).problems.map(formatProblem)
      expect(await problemOf('gone')).toEqual(['gone:1:1: error: the file does not exist'])
      expect(await problemOf('folder')).toEqual([expect.stringContaining('is not a regular file')])
      expect(await problemOf('latin')).toEqual(['latin:1:1: error: the file is not UTF-8 text'])
    },
  )

  it('may be a link, begin with a byte order mark and end its lines as on Windows', async () => {
    const dir = await tempDir()
    writeFileSync(join(dir, 'real'), '\uFEFFA=1\r\nB="x\r\ny"\r\n')
    symlinkSync('real', join(dir, '.env'))
    expect(Object.fromEntries((await readEnvFile('.env', dir)).variables)).toEqual({ A: '1', B: 'x\ny' })
  })
})
