import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { loadHank } from '../../src/hank/checks/load.ts'
import { hankHash } from '../../src/hank/hash.ts'
import { readHank } from '../../src/hank/read.ts'
import { codon, contextIn, directoryWith, loadIn, loadValue, printed } from './fixture.ts'

const hank = { hank: [codon()] }

describe('finding the file', () => {
  verifies(['1/discovery-finds-hank-json-only'], 'without a path only hank.json is found', async () => {
    const both = await directoryWith({ 'hank.json': hank, 'strand.json': 'no JSON', 'flow.json': 'no JSON' })
    expect((await loadIn(both)).hank).toEqual(hank)
    const none = await directoryWith({ 'flow.json': hank, 'hank.yaml': '', 'Hank.JSON': hank })
    expect(printed(await loadIn(none))).toEqual(['hank.json:1:1: error: hank.json does not exist'])
  })

  verifies(['1/strand-json-explicit-only'], 'strand.json is used only when it is named', async () => {
    const dir = await directoryWith({ 'strand.json': hank })
    expect(printed(await loadIn(dir))).toEqual([
      'hank.json:1:1: error: hank.json does not exist; there is a strand.json, which is used only when its path is given',
    ])
    expect((await loadHank('strand.json', contextIn(dir))).hank).toEqual(hank)
    expect((await loadHank(join(dir, 'strand.json'), contextIn('/'))).hank).toEqual(hank)
  })

  test('a directory stands for its hank.json, and messages name the file below it', async () => {
    const dir = await directoryWith({ 'flows/a/hank.json': '{}' })
    const loaded = await loadHank('flows/a', contextIn(dir))
    expect(printed(loaded)).toEqual([
      'flows/a/hank.json:1:1: error: hank: is missing; expected a non-empty list',
    ])
    expect(loaded.source).toMatchObject({
      path: join(dir, 'flows/a/hank.json'),
      directory: join(dir, 'flows/a'),
    })
  })

  test('a link that was named is followed to the file and to its directory', async () => {
    const dir = await directoryWith({
      'real/hank.json': { hank: [codon({ promptFile: 'p.md' })] },
      'real/p.md': 'x',
    })
    await symlink(join(dir, 'real/hank.json'), join(dir, 'hank.json'))
    const loaded = await loadIn(dir)
    expect(printed(loaded)).toEqual([])
    expect(loaded.source?.directory).toBe(join(dir, 'real'))
  })

  test.each([
    ['nope.json', 'nope.json does not exist'],
    ['nope/hank.json', 'nope/hank.json does not exist'],
    ['file.txt/hank.json', 'file.txt/hank.json does not exist'],
    ['empty', 'empty/hank.json does not exist'],
    ['\0', '\0 cannot be read (ERR_INVALID_ARG_VALUE)'],
    ['x'.repeat(300), `${'x'.repeat(300)} cannot be read (ENAMETOOLONG)`],
    ['dangling.json', 'dangling.json does not exist'],
    ['as-directory', 'as-directory/hank.json is not a regular file'],
  ])('the path %j is told to be wrong', async (path, message) => {
    const dir = await directoryWith({ 'file.txt': '', 'empty/x': '', 'as-directory/hank.json/x': '' })
    await symlink('nowhere', join(dir, 'dangling.json'))
    const { problems } = await loadHank(path, contextIn(dir))
    expect(problems.map(problem => problem.message)).toEqual([message])
  })
})

describe('what the bytes may be', () => {
  test('a byte order mark is forgiven and does not move any place', async () => {
    expect((await loadValue(`\uFEFF${JSON.stringify(hank)}`)).hank).toEqual(hank)
    expect(printed(await loadValue('\uFEFF{"hank": []}'))).toEqual([
      'hank.json:1:10: error: hank: expected a non-empty list, found an empty list',
    ])
  })

  test.each<[string, Uint8Array, string]>([
    [
      'UTF-16',
      Buffer.from('\uFEFF{}', 'utf16le'),
      '1:1: error: the file is encoded as UTF-16; save it as UTF-8',
    ],
    [
      'broken UTF-8',
      Buffer.from([0x7b, 0x0a, 0x0a, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
      '3:1: error: the line is not valid UTF-8; save the file as UTF-8',
    ],
    ['nothing', Buffer.alloc(0), '1:1: error: expected a JSON value, found an empty file'],
  ])('%s is refused with its line', async (_, bytes, message) => {
    expect(printed(await loadValue(bytes))).toEqual([`hank.json:${message}`])
  })

  test('a fault in the text is shown with line, column, the line itself and a caret', async () => {
    const loaded = await loadValue('{\n  "hank": [\n    { "id": "a",, "name": 1 }\n  ]\n}\n')
    expect(loaded.problems).toMatchObject([{ place: { file: 'hank.json', line: 3, column: 17 } }])
    expect(loaded.excerpt).toBe('3 |     { "id": "a",, "name": 1 }\n  |                 ^')
  })

  test('a long line is cut around the fault', async () => {
    const loaded = await loadValue(`{"hank": ["${'x'.repeat(5000)}" "${'y'.repeat(5000)}"]}`)
    const [line = '', caret = ''] = loaded.excerpt?.split('\n') ?? []
    expect(line.length).toBeLessThan(120)
    expect(line.charAt(caret.indexOf('^'))).toBe('"')
    expect(line.slice(caret.indexOf('^'))).toMatch(/^"yyy/)
  })

  test('a key that is written twice is a warning', async () => {
    const text = `{"hank": [], "hank": ${JSON.stringify(hank.hank)}}`
    const loaded = await loadValue(text)
    expect(printed(loaded)).toEqual([
      'hank.json:1:2: warning: the key hank is written more than once; only the last one counts',
    ])
    expect(loaded.hank).toEqual(hank)
  })
})

verifies(
  ['d3/hank-hash'],
  'the hash is that of the content, whatever the layout and the schema line',
  async () => {
    const dir = await tempDir()
    const hashOf = async (text: string) => {
      await writeFile(join(dir, 'hank.json'), text)
      const read = await readHank(undefined, { workingDirectory: dir })
      return read.ok ? hankHash(read.source) : undefined
    }
    const plain = await hashOf('{"hank":[1]}')
    expect(plain).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashOf('{\n  "$schema": "https://example.com",\n  "hank": [1]\n}')).toBe(plain)
    expect(await hashOf('{"hank":[2]}')).not.toBe(plain)
  },
)
