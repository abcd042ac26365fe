import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { writeExecutionFile } from '../../src/workspace/execution-file.ts'
import { type ExecutionFile, readExecutionFile } from '../../src/workspace/index.ts'

const file: ExecutionFile = {
  version: 1,
  hankPath: '/hanks/hank.json',
  hankHash: 'a'.repeat(64),
  hankName: 'Hank',
  dataPath: null,
  dataHash: 'b'.repeat(64),
  linkType: 'none',
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsed: '2026-01-02T00:00:00.000Z',
  weaveVersion: '0.10.0',
  node: 'v20.19.0',
  platform: 'linux',
}

async function place(): Promise<string> {
  const internals = join(await tempDir(), 'execution', '.weave')
  await mkdir(internals, { recursive: true })
  return join(internals, 'execution.json')
}

async function reading(content: string): Promise<string> {
  const path = await place()
  await writeFile(path, content)
  const result = await readExecutionFile(path)
  if (result.kind !== 'damaged') return result.kind
  return `${result.message}\n${result.cure}`.replaceAll(join(path, '..', '..'), '<dir>')
}

describe('execution.json', () => {
  verifies(
    ['d3/execution-file-fields', 'd3/link-type'],
    'holds exactly the fields of the contract, for the owner only, and is read back as it was written',
    async () => {
      const path = await place()
      for (const linkType of ['symlink', 'copy', 'none'] as const) {
        await writeExecutionFile(path, { ...file, linkType })
        expect(await readExecutionFile(path)).toEqual({ kind: 'read', file: { ...file, linkType } })
      }
      expect(Object.keys(JSON.parse(await readFile(path, 'utf8')))).toEqual([
        'version',
        'hankPath',
        'hankHash',
        'hankName',
        'dataPath',
        'dataHash',
        'linkType',
        'createdAt',
        'lastUsed',
        'weaveVersion',
        'node',
        'platform',
      ])
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect(await readdir(join(path, '..'))).toEqual(['execution.json'])
    },
  )

  it('says of a rehearsal that it is one', async () => {
    const path = await place()
    await writeExecutionFile(path, { ...file, rehearsal: true })
    expect(await readExecutionFile(path)).toMatchObject({ kind: 'read', file: { rehearsal: true } })
  })

  it('that is not there is missing', async () => {
    expect(await readExecutionFile(await place())).toEqual({ kind: 'missing' })
  })
})

describe('a damaged execution.json', () => {
  it.each([
    ['cut off', JSON.stringify(file).slice(0, 100)],
    ['empty', ''],
    ['zeros', '\0'.repeat(300)],
    ['a list', '[]'],
    ['an unknown link', JSON.stringify({ ...file, linkType: 'hardlink' })],
    ['a key too many', JSON.stringify({ ...file, colour: 'red' })],
    ['a key missing', JSON.stringify({ ...file, hankPath: undefined })],
    ['a false rehearsal', JSON.stringify({ ...file, rehearsal: false })],
  ])('(%s) is told with its path and a cure', async (_, content) => {
    const told = await reading(content)
    expect(told).toContain('<dir>/.weave/execution.json')
    expect(told).toContain('--start-new --force -e <dir>')
  })

  it('of a later version is not called broken', async () => {
    expect(await reading(JSON.stringify({ ...file, version: 2 }))).toContain('a later version of weave')
  })

  it('is not followed through a link', async () => {
    const path = await place()
    const elsewhere = join(await tempDir(), 'execution.json')
    await writeFile(elsewhere, JSON.stringify(file))
    await symlink(elsewhere, path)
    expect(await readExecutionFile(path)).toMatchObject({ kind: 'damaged' })
  })
})
