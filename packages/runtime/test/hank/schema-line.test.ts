import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { addSchemaLine, schemaAddress } from '../../src/hank/schema-line.ts'

const address = 'https://unpkg.com/weave-runtime@1.2.3/schemas/hank.schema.json'
const line = `"$schema": "${address}"`

async function fileWith(text: string | Uint8Array): Promise<string> {
  const path = join(await tempDir(), 'hank.json')
  await writeFile(path, text)
  return path
}

const add = (path: string) => addSchemaLine({ path, file: 'flows/hank.json' }, '1.2.3')

describe('the schema line', () => {
  test.each([
    ['{"hank":[]}', `{${line},"hank":[]}`],
    ['{ "hank": [] }', `{ ${line}, "hank": [] }`],
    ['{\n  "hank": []\n}\n', `{\n  ${line},\n  "hank": []\n}\n`],
    ['{\n\t"meta": {},\n\t"hank": []\n}', `{\n\t${line},\n\t"meta": {},\n\t"hank": []\n}`],
    ['{\r\n    "hank": [ ]\r\n}\r\n', `{\r\n    ${line},\r\n    "hank": [ ]\r\n}\r\n`],
    ['\n {\n\n   "hank" :[1,\n2 ]}', `\n {\n\n   ${line},\n\n   "hank" :[1,\n2 ]}`],
    ['\uFEFF{"hank": "ü"}', `\uFEFF{${line},"hank": "ü"}`],
  ])('becomes the first key of %j and changes nothing else', async (before, after) => {
    const path = await fileWith(before)
    expect(await add(path)).toEqual({
      added: true,
      message: '+ Added $schema to flows/hank.json for editor support',
    })
    expect(await readFile(path, 'utf8')).toBe(after)
    expect(await add(path)).toEqual({ added: false, reason: 'present' })
  })

  verifies(
    ['2.1/schema-present-untouched'],
    'is left as it is, whatever it says, and without a word',
    async () => {
      for (const text of [
        '{"$schema": "", "hank": []}',
        '{"hank": [], "$schema": "https://example.com/x.json"}',
      ]) {
        const path = await fileWith(text)
        const before = await stat(path)
        expect(await add(path)).toEqual({ added: false, reason: 'present' })
        expect(await readFile(path, 'utf8')).toBe(text)
        expect((await stat(path)).ino).toBe(before.ino)
      }
    },
  )

  test('keeps the mode of the file', async () => {
    const path = await fileWith('{"hank": []}')
    await chmod(path, 0o640)
    expect(await add(path)).toMatchObject({ added: true })
    expect((await stat(path)).mode & 0o7777).toBe(0o640)
  })

  test.each([
    ['{"name": "not-a-hank"}', 'no-hank'],
    ['[]', 'no-hank'],
    ['{', 'no-hank'],
    ['', 'no-hank'],
  ])('is not written into %j', async (text, reason) => {
    const path = await fileWith(text)
    expect(await add(path)).toEqual({ added: false, reason })
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  test('is not written into a read-only file, a missing one or a directory', async () => {
    const path = await fileWith('{"hank": []}')
    await chmod(path, 0o444)
    expect(await add(path)).toEqual({ added: false, reason: 'read-only' })
    expect(await readFile(path, 'utf8')).toBe('{"hank": []}')
    expect(await add(join(path, 'x'))).toEqual({ added: false, reason: 'failed' })
    const folder = join(await tempDir(), 'hank.json')
    await mkdir(folder)
    expect(await add(folder)).toEqual({ added: false, reason: 'failed' })
  })

  test('that cannot be written leaves the old bytes and no scraps', async () => {
    const dir = await tempDir()
    const path = join(dir, 'hank.json')
    const text = JSON.stringify({ hank: ['x'.repeat(100_000)] })
    await writeFile(path, text)
    const result = await withFileSizeLimit(64, path)
    expect(result).toEqual({ added: false, reason: 'failed' })
    expect(await readFile(path, 'utf8')).toBe(text)
    expect(await readdir(dir)).toEqual(['hank.json'])
  })
})

/** Runs in a process that may not write files beyond so many KiB, which is what a full disk looks like. */
async function withFileSizeLimit(kibibytes: number, path: string): Promise<unknown> {
  const script = new URL('fixtures/add-schema-line.ts', import.meta.url).pathname
  const command = `export TSX_DISABLE_CACHE=1; trap '' XFSZ; ulimit -f ${kibibytes}; exec "$0" --conditions=weave-source --import tsx "$1" "$2"`
  const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, script, path])
  return JSON.parse(stdout)
}

verifies(
  ['d1/schema-address-hank', 'd1/schema-address-weave', 'd1/schema-address-sentinel'],
  'the schemas have fixed addresses with the version in them',
  () => {
    expect(
      ['hank', 'weave', 'sentinel', 'rehearsal'].map(kind => schemaAddress(kind as 'hank', '0.10.0')),
    ).toEqual([
      'https://unpkg.com/weave-runtime@0.10.0/schemas/hank.schema.json',
      'https://unpkg.com/weave-runtime@0.10.0/schemas/weave.schema.json',
      'https://unpkg.com/weave-runtime@0.10.0/schemas/sentinel.schema.json',
      'https://unpkg.com/weave-runtime@0.10.0/schemas/rehearsal.schema.json',
    ])
  },
)
