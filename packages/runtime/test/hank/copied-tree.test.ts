import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { scanCopiedTree } from '../../src/hank/copied-tree.ts'
import { codon, directoryWith, loadIn, told } from './fixture.ts'

async function copying(dir: string, ...from: readonly string[]): Promise<readonly string[]> {
  const rigSetup = from.map((path, at) => ({ type: 'copy', copy: { from: path, to: `target-${at}` } }))
  await writeFile(join(dir, 'hank.json'), JSON.stringify({ hank: [codon({ rigSetup })] }))
  const loaded = await loadIn(dir)
  expect(loaded.hank === undefined).toBe(loaded.problems.some(({ severity }) => severity === 'error'))
  return loaded.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
}

const symlinks = 'symlinks are not allowed anywhere in a copied tree'
const regular = 'only regular files and directories can be copied'

test('files and directories can be copied, also empty ones', async () => {
  const dir = await directoryWith({ 'a.txt': '', 'tree/b/c.txt': 'x' })
  await mkdir(join(dir, 'empty'))
  expect(await copying(dir, 'a.txt', 'tree', './tree/', 'empty', 'tree/b/c.txt')).toEqual([])
})

describe('a copied tree', () => {
  verifies(
    [
      '2.11/tree-rejects-symlink',
      '2.11/tree-rejects-dangling-symlink',
      '2.11/tree-scanned-whole',
      '2.4/copy-from-tree-scanned',
      '7.3/path-tree-symlink',
      '9/release-0.10.0-copy-tree-scan',
    ],
    'holds no symlink at any depth, whether it leads somewhere or not',
    async () => {
      const dir = await directoryWith({ 'tree/a/b/c/file': '', 'tree/z': '' })
      await symlink('file', join(dir, 'tree/a/b/c/link'))
      await symlink('nowhere', join(dir, 'tree/dangling'))
      await symlink('..', join(dir, 'tree/a/up'))
      expect(await copying(dir, './tree')).toEqual([
        `./tree contains a symlink at a/b/c/link; ${symlinks}`,
        `./tree contains a symlink at a/up; ${symlinks}`,
        `./tree contains a symlink at dangling; ${symlinks}`,
      ])
    },
  )

  verifies(
    ['2.11/tree-rejects-other-files', '7.3/path-tree-non-regular'],
    'holds nothing but files',
    async () => {
      const dir = await directoryWith({ 'tree/sub/file': '' })
      execFileSync('mkfifo', [join(dir, 'tree/sub/pipe'), join(dir, 'alone')])
      const server = createServer().listen(join(dir, 'tree/socket'))
      await new Promise(resolve => server.once('listening', resolve))
      expect(await copying(dir, 'tree', 'alone')).toEqual([
        `tree contains a non-regular file at socket; ${regular}`,
        `tree contains a non-regular file at sub/pipe; ${regular}`,
        `alone contains a non-regular file at alone; ${regular}`,
      ])
      await new Promise(resolve => server.close(resolve))
    },
  )

  verifies(
    [
      '2.4/copy-from-not-hank-directory',
      '2.4/copy-from-not-hank-directory-spelled',
      '7.3/load-forbidden-copy-from',
    ],
    'is not the hank directory itself, however it is spelled',
    async () => {
      const dir = await directoryWith({ 'sub/x': '' })
      const from = ['.', './', 'sub/..', './sub/../.', 'sub/../']
      expect(await copying(dir, ...from)).toEqual(
        from.map(
          path => `${path} is the hank directory itself; copy.from must name a file or directory inside it`,
        ),
      )
    },
  )

  test('is told as often as it is named, and scanned once', async () => {
    const dir = await directoryWith({ 'tree/x': '' })
    await symlink('x', join(dir, 'tree/link'))
    expect(await copying(dir, 'tree', 'tree/.')).toEqual([
      `tree contains a symlink at link; ${symlinks}`,
      `tree/. contains a symlink at link; ${symlinks}`,
    ])
  })
})

describe('the caps of a scan', () => {
  test('of entries and of depth are findings', async () => {
    const dir = await directoryWith({ a: '', b: '', 'c/d/e': '' })
    expect(await scanCopiedTree(dir, { maxEntries: 2 })).toMatchObject([{ kind: 'too-many' }])
    expect(await scanCopiedTree(dir, { maxDepth: 2 })).toEqual([{ kind: 'too-deep', entry: 'c/d' }])
    expect(await scanCopiedTree(dir)).toEqual([])
  })

  test('of findings ends with a word about the rest', async () => {
    const dir = await tempDir()
    for (const name of ['a', 'b', 'c', 'd']) await symlink('x', join(dir, name))
    expect(await scanCopiedTree(dir, { maxFindings: 2 })).toEqual([
      { kind: 'symlink', entry: 'a' },
      { kind: 'symlink', entry: 'b' },
      { kind: 'more', entry: 'c' },
    ])
  })

  test('make a message that names the codon', async () => {
    const dir = await tempDir()
    let deep = join(dir, 'tree')
    for (let level = 0; level < 70; level++) deep = join(deep, 'd')
    await mkdir(deep, { recursive: true })
    const [message, ...others] = await copying(dir, 'tree')
    expect(message).toMatch(
      /^Codon 1 \(draft\): copy\.from tree is nested too deeply to copy; the scan stopped at d\/d/,
    )
    expect(others).toEqual([])
  })

  test('leave the event loop its turns', async () => {
    const dir = await tempDir({ inMemory: true })
    for (let at = 0; at < 2_000; at++) await writeFile(join(dir, `f${at}`), '')
    let turns = 0
    const count = setInterval(() => turns++, 0)
    await scanCopiedTree(dir)
    clearInterval(count)
    expect(turns).toBeGreaterThan(0)
  })
})

test('the errors of a tree are told with their place in the hank', async () => {
  const dir = await directoryWith({ 'tree/x': '' })
  await symlink('x', join(dir, 'tree/link'))
  const hank = { hank: [codon({ rigSetup: [{ type: 'copy', copy: { from: 'tree', to: 'x' } }] })] }
  await writeFile(join(dir, 'hank.json'), JSON.stringify(hank, null, 2))
  expect(told(await loadIn(dir))).toEqual([
    `hank[0].rigSetup[0].copy.from: tree contains a symlink at link; ${symlinks}`,
  ])
})
