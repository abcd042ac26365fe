import { execFileSync } from 'node:child_process'
import { renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { chmod, link, lstat, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scanFiles } from '../../src/tree/changes.ts'
import { readContent } from '../../src/tree/content.ts'
import { statKeyOf } from '../../src/tree/stat-key.ts'
import { fill, selectionOf, type Watched, watched } from './watch-fixture.ts'

const secret = 'the secret outside'

async function withSecret(setup: Parameters<typeof watched>[0] = {}): Promise<Watched> {
  const workspace = await watched(setup)
  await fill(workspace.outside, { 'notes.md': secret })
  return workspace
}

const isSecretTold = ({ updates }: Watched) => JSON.stringify(updates).includes(secret)

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
    const seen = async (path: string) => ({
      agentRoot: root,
      path,
      key: statKeyOf(await lstat(join(root, path)), 0),
      now: 0,
    })
    await fill(outside, { 'large.md': secret.repeat(100_000) })
    await fill(root, { 'd/large.md': 'mine'.repeat(1_000_000) })
    const [file, nested, large] = [await seen('a.md'), await seen('d/notes.md'), await seen('d/large.md')]
    expect(await readContent(file)).toMatchObject({
      kind: 'content',
      content: { fields: { content: 'mine' } },
    })

    await rm(join(root, 'a.md'))
    await symlink(join(outside, 'notes.md'), join(root, 'a.md'))
    await rename(join(root, 'd'), join(root, 'e'))
    await symlink(outside, join(root, 'd'))
    for (const swapped of [file, nested, large, { ...file, key: large.key }]) {
      expect(await readContent(swapped)).toEqual({ kind: 'stale' })
    }
  })

  it('that comes and goes while the workspace is watched never gives the secret away', async () => {
    const workspace = await withSecret({ files: { 'd/notes.md': 'mine', 'real.md': 'mine' } })
    const { root, outside, watch } = workspace
    let [flips, isRunning] = [0, true]
    const swap = () => {
      if (flips++ % 2 === 0) {
        renameSync(join(root, 'd'), join(root, '.d'))
        symlinkSync(outside, join(root, 'd'))
        renameSync(join(root, 'real.md'), join(root, '.real'))
        symlinkSync(join(outside, 'notes.md'), join(root, 'real.md'))
      } else {
        unlinkSync(join(root, 'd'))
        renameSync(join(root, '.d'), join(root, 'd'))
        unlinkSync(join(root, 'real.md'))
        renameSync(join(root, '.real'), join(root, 'real.md'))
      }
      if (isRunning) setImmediate(swap)
    }
    swap()
    for (let round = 0; round < 40; round++) await watch.settle()
    isRunning = false
    expect(flips).toBeGreaterThan(100)
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
    const key = statKeyOf(await lstat(join(root, 'a')), 0)
    await rm(join(root, 'a'))
    execFileSync('mkfifo', [join(root, 'a')])
    for (const size of [1, 2 ** 30]) {
      expect(await readContent({ agentRoot: root, path: 'a', key: { ...key, size }, now: 0 })).toEqual({
        kind: 'stale',
      })
    }
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

describe('a workspace that is too large', () => {
  it('is watched as far as the cap, with a note, and without false news', async () => {
    const { root, settled, notes, watch } = await watched({ limits: { maxEntries: 20, maxDepth: 3 } })
    for (let file = 0; file < 30; file++) await fill(root, { [`f${file}`]: '' })
    const first = await settled()
    expect(first).toHaveLength(20)
    expect(notes).toEqual([{ kind: 'capped', message: expect.stringContaining('too many files') }])
    expect((await settled()).filter(line => line.startsWith('deleted'))).toEqual([])
    const gone = first[0]?.slice('created '.length) ?? ''
    await rm(join(root, gone))
    expect(await settled()).toContain(`deleted ${gone}`)
    expect(notes).toHaveLength(1)
    expect(await watch.tree()).not.toHaveLength(0)
  })

  it('is watched down to the cap on depth', async () => {
    const { root, settled, notes } = await watched({ limits: { maxEntries: 100, maxDepth: 2 } })
    await fill(root, { 'a/b': '', 'c/d/e': '' })
    expect(await settled()).toEqual(['created a/b'])
    expect(notes).toEqual([{ kind: 'capped', message: expect.stringContaining('nested too deeply') }])
  })
})

it('a look enters only what may hold something selected', async () => {
  const { root } = await watched({
    files: { 'src/a.ts': '', 'node_modules/x/y.ts': '', 'src/.git/z.ts': '' },
  })
  await mkdir(join(root, 'src/empty'))
  const scan = await scanFiles({
    agentRoot: root,
    selection: selectionOf(['src/**/*.ts']),
    now: () => 0,
  })
  expect([...scan.files.keys()]).toEqual(['src/a.ts'])
  expect([...scan.directories.keys()]).toEqual(['src', 'src/empty'])
})
