import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTreeReader } from '../../src/files/index.ts'
import { createDirectory } from '../../src/tree/known-tree.ts'
import { scanTree } from '../../src/tree/scan.ts'
import { fill, selectionOf, type Watched, watched } from './watch-fixture.ts'

const secret = 'the secret outside'

async function withSecret(setup: Parameters<typeof watched>[0] = {}): Promise<Watched> {
  const workspace = await watched(setup)
  await fill(workspace.outside, { 'notes.md': secret })
  return workspace
}

const isSecretTold = ({ updates }: Watched) => JSON.stringify(updates).includes(secret)

/** Puts links in the place of a directory and a file, and takes them away again, in a thread of its own. */
const swapping = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
  const { root, outside, flips } = require('node:worker_threads').workerData
  for (;; Atomics.add(flips, 0, 1)) {
    for (const [name, aside, target] of [['d', '.d', outside], ['real.md', '.real', outside + '/notes.md']]) {
      renameSync(root + '/' + name, root + '/' + aside)
      symlinkSync(target, root + '/' + name)
    }
    for (const [name, aside] of [['d', '.d'], ['real.md', '.real']]) {
      unlinkSync(root + '/' + name)
      renameSync(root + '/' + aside, root + '/' + name)
    }
  }
`

describe('a link', () => {
  it('to a file or a directory is told neither as a file nor in the tree', async () => {
    const workspace = await withSecret()
    const { root, outside, settled, watch } = workspace
    await symlink(join(outside, 'notes.md'), join(root, 'file.md'))
    await symlink(outside, join(root, 'directory'))
    await symlink('nowhere', join(root, 'dangling'))
    await symlink('.', join(root, 'itself'))
    expect(await settled()).toEqual([])
    expect(await watch.tree()).toEqual([])
  })

  it('in place of a file or a directory means that the files are gone', async () => {
    const workspace = await withSecret({ files: { 'a.md': 'a', 'd/notes.md': 'mine' } })
    const { root, outside, settled } = workspace
    await rm(join(root, 'a.md'))
    await symlink(join(outside, 'notes.md'), join(root, 'a.md'))
    await rename(join(root, 'd'), join(root, 'e'))
    await symlink(outside, join(root, 'd'))
    expect(await settled()).toEqual(['deleted a.md', 'deleted d/notes.md', 'created e/notes.md'])
    expect(isSecretTold(workspace)).toBe(false)
  })

  it('that takes a place between look and reading is not followed', async () => {
    const { root, outside } = await withSecret({ files: { 'a.md': 'mine', 'd/notes.md': 'mine' } })
    await fill(outside, { 'large.md': secret.repeat(1_000_000) })
    await fill(root, { 'd/large.md': 'mine'.repeat(4_000_000) })
    const reader = createTreeReader(root)
    onTestFinished(reader.close)
    expect(await reader.read('a.md')).toMatchObject({ kind: 'read', bytes: Buffer.from('mine') })
    await rm(join(root, 'a.md'))
    await symlink(join(outside, 'notes.md'), join(root, 'a.md'))
    await rename(join(root, 'd'), join(root, 'e'))
    await symlink(outside, join(root, 'd'))
    expect(await reader.read('a.md')).toMatchObject({
      kind: 'read',
      bytes: Buffer.from(join(outside, 'notes.md')),
    })
    for (const path of ['d/notes.md', 'd/large.md']) expect(await reader.read(path)).toEqual({ kind: 'gone' })
  })

  it('that comes and goes while the workspace is watched never gives the secret away', async () => {
    const workspace = await withSecret({ files: { 'd/notes.md': 'mine', 'real.md': 'mine' } })
    const { root, outside, watch } = workspace
    const flips = new Int32Array(new SharedArrayBuffer(4))
    const swapper = new Worker(swapping, { eval: true, workerData: { root, outside, flips } })
    onTestFinished(async () => void (await swapper.terminate()))
    for (let round = 0; round < 40 || Atomics.load(flips, 0) < 500; round++) await watch.settle()
    expect(workspace.updates.length).toBeGreaterThan(0)
    expect(isSecretTold(workspace)).toBe(false)
  })
})

describe('what is no regular file', () => {
  it('is passed over without waiting for it', async () => {
    const { root, settled, watch } = await watched({ files: { a: '1' } })
    execFileSync('mkfifo', [join(root, 'pipe'), join(root, 'pipe.md')])
    await fill(root, { b: '2' })
    expect(await settled()).toEqual(['created b'])
    await rm(join(root, 'a'))
    execFileSync('mkfifo', [join(root, 'a')])
    expect(await settled()).toEqual(['deleted a'])
    expect(await watch.tree()).toMatchObject([{ name: 'b' }])
  })

  it('is not waited for either when it takes the place of a file before that is read', async () => {
    const { root } = await watched({ files: { a: '1' } })
    await rm(join(root, 'a'))
    execFileSync('mkfifo', [join(root, 'a')])
    const reader = createTreeReader(root)
    onTestFinished(reader.close)
    expect(await reader.read('a')).toEqual({ kind: 'gone' })
  })
})

describe('odd things', () => {
  it('are told under their own names', async () => {
    const { root, settled, updates } = await watched()
    const names = [
      ' ',
      '*',
      '-rf',
      '...',
      '[x]',
      'a b',
      'a\\b',
      'a\nb',
      '…',
      '__proto__',
      'é',
      '🧶',
      'x'.repeat(250),
    ]
    for (const name of names) await fill(root, { [`d/${name}/${name}`]: 'odd' })
    await settled()
    expect(new Set(updates.map(({ filename }) => filename))).toEqual(new Set(names))
    expect(updates.map(({ path }) => path)).toEqual(names.map(name => `d/${name}/${name}`).sort())
    await rm(join(root, 'd'), { recursive: true })
    expect(await settled()).toHaveLength(names.length)
  })

  it('whose names are no text are noted, and do no harm', async () => {
    const { root, settled, notes } = await watched({ files: { 'd/a': '', 'd/b': '' } })
    await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'x')
    await rm(join(root, 'd/a'))
    expect(await settled()).toEqual(['deleted d/a'])
    await settled()
    expect(notes).toEqual([{ kind: 'unreadable', message: expect.stringContaining('EILSEQ') }])
  })

  it('under two names are two files', async () => {
    const { root, settled } = await watched({ files: { a: '1' } })
    await link(join(root, 'a'), join(root, 'b'))
    expect(await settled()).toEqual(['created b'])
    await fill(root, { a: '22' })
    expect(await settled()).toEqual(['modified a', 'modified b'])
  })

  it('that may not be read are in the tree, and told once they may', async () => {
    // Root may read everything; the rules are also tested without a disk, in watch-known.test.ts.
    if (process.getuid?.() === 0) return
    const { root, settled, notes, watch } = await watched()
    await fill(root, { a: '1' })
    await chmod(join(root, 'a'), 0)
    expect(await settled()).toEqual([])
    expect(notes).toMatchObject([{ kind: 'unreadable' }])
    expect(await watch.tree()).toHaveLength(1)
    await chmod(join(root, 'a'), 0o600)
    expect(await settled()).toEqual(['created a'])
  })
})

it('a workspace that is too deep is watched down to the cap, with a note, and without false news', async () => {
  const { root, settled, notes } = await watched()
  const deep = 'd/'.repeat(198)
  await fill(root, { [`${deep}a`]: '', [`${deep}e/b`]: '', [`${deep}e/f/c`]: '' })
  expect(await settled()).toEqual([`created ${deep}a`, `created ${deep}e/b`])
  expect(notes).toEqual([{ kind: 'capped', message: expect.stringContaining('nested too deeply') }])
  await rm(join(root, `${deep}a`))
  expect(await settled()).toEqual([`deleted ${deep}a`])
  expect(notes).toHaveLength(1)
})

it('a look enters only what may hold something selected', async () => {
  const { root } = await watched({
    files: { 'src/a.ts': '', 'node_modules/x/y.ts': '', 'src/.git/z.ts': '' },
  })
  await mkdir(join(root, 'src/empty'))
  const scan = await scanTree({
    workTree: root,
    selection: selectionOf(['src/**/*.ts']),
    known: createDirectory(),
    now: 0,
    onGap: () => undefined,
  })
  expect([...scan.found.keys()]).toEqual(['src/a.ts'])
  expect([...scan.directories.keys()]).toEqual(['', 'src', 'src/empty'])
})
