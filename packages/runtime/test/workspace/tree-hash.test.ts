import {
  chmodSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { hashTree } from '../../src/workspace/index.ts'

async function tree(): Promise<string> {
  const dir = join(await tempDir({ inMemory: true }), 'set')
  mkdirSync(join(dir, 'deep/empty'), { recursive: true })
  writeFileSync(join(dir, 'deep/a.txt'), 'alpha')
  writeFileSync(join(dir, 'run.sh'), '#!/bin/sh\n', { mode: 0o644 })
  symlinkSync('deep/a.txt', join(dir, 'link'))
  return dir
}

async function hash(path: string): Promise<string> {
  const found = await hashTree(path)
  return found.ok ? found.hash : found.message
}

const changes: Readonly<Record<string, (dir: string) => void>> = {
  'a byte': dir => writeFileSync(join(dir, 'deep/a.txt'), 'alphA'),
  'a name': dir => renameSync(join(dir, 'deep/a.txt'), join(dir, 'deep/b.txt')),
  'an x-bit': dir => chmodSync(join(dir, 'run.sh'), 0o755),
  'an empty directory': dir => rmSync(join(dir, 'deep/empty'), { recursive: true }),
  'where a link leads': dir => {
    rmSync(join(dir, 'link'))
    symlinkSync('run.sh', join(dir, 'link'))
  },
  'a type': dir => {
    rmSync(join(dir, 'link'))
    writeFileSync(join(dir, 'link'), 'deep/a.txt')
  },
}

verifies(['moves/content-hash'], 'the same content has the same hash elsewhere and later', async () => {
  const dir = await tree()
  const copy = `${dir}-copy`
  cpSync(dir, copy, { recursive: true, verbatimSymlinks: true })
  utimesSync(join(copy, 'deep/a.txt'), 1, 1)
  expect(await hash(copy)).toBe(await hash(dir))
  expect(await hash(dir)).toMatch(/^tree:[0-9a-f]{64}$/)
})

for (const [what, change] of Object.entries(changes))
  verifies(['moves/content-hash'], `another hash when ${what} changes`, async () => {
    const dir = await tree()
    const before = await hash(dir)
    change(dir)
    expect(await hash(dir)).not.toBe(before)
  })

test('one file is hashed under its own name, and what is not there is said', async () => {
  const dir = await tree()
  const found = await hashTree(join(dir, 'run.sh'))
  expect(found.ok && found.entries.map(({ path }) => path)).toEqual(['run.sh'])
  expect(await hashTree(join(dir, 'nothing'))).toMatchObject({ ok: false })
})
