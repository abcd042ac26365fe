import { appendFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { events } from '@weave/protocol'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fill, watched } from './watch-fixture.ts'

describe('watchWorkspace tells', () => {
  verifies(
    ['1/checkpointed-files-watched', '6/file-updated', '6/file-updated-action-enum'],
    'what was created, modified and deleted since the start, with its content, in order of path',
    async () => {
      const { root, settled, updates } = await watched({
        files: { 'b/old.md': 'old', 'a.md': 'a', keep: '' },
      })
      await fill(root, { 'b/new.md': 'new', 'a.md': 'longer' })
      await rm(join(root, 'b/old.md'))
      expect(await settled()).toEqual(['modified a.md', 'created b/new.md', 'deleted b/old.md'])
      expect(updates).toEqual([
        { path: 'a.md', filename: 'a.md', content: 'longer', action: 'modified' },
        { path: 'b/new.md', filename: 'new.md', content: 'new', action: 'created' },
        { path: 'b/old.md', filename: 'old.md', content: '', action: 'deleted' },
      ])
      for (const update of updates) expect(events['file.updated'].data.safeParse(update).success).toBe(true)
    },
  )

  it('nothing of the start, and each change once', async () => {
    const { root, settled } = await watched({ files: { a: '1', 'deep/b': '1' } })
    expect(await settled()).toEqual([])
    await appendFile(join(root, 'a'), '2')
    expect(await settled()).toEqual(['modified a'])
    expect(await settled()).toEqual([])
  })

  it('a rename as two changes, also that of a directory', async () => {
    const { root, settled } = await watched({ files: { 'one/x': 'x', 'one/y/z': 'z', file: 'f' } })
    await rename(join(root, 'file'), join(root, 'elif'))
    await rename(join(root, 'one'), join(root, 'two'))
    expect(await settled()).toEqual([
      'created elif',
      'deleted file',
      'deleted one/x',
      'deleted one/y/z',
      'created two/x',
      'created two/y/z',
    ])
  })

  it('one file in place of another, of the same size and time', async () => {
    const { root, settled, updates } = await watched({ files: { a: 'one', b: 'two' } })
    const time = new Date('2026-01-01T00:00:00Z')
    await utimes(join(root, 'a'), time, time)
    await utimes(join(root, 'b'), time, time)
    await settled()
    await rename(join(root, 'b'), join(root, 'a'))
    expect(await settled()).toEqual(['modified a', 'deleted b'])
    expect(updates.at(-2)?.content).toBe('two')
  })

  it('a directory in place of a file and the reverse', async () => {
    const { root, settled } = await watched({ files: { a: 'file', 'b/c': 'in a directory' } })
    await rm(join(root, 'a'))
    await rm(join(root, 'b'), { recursive: true })
    await fill(root, { 'a/inner': '1', b: '2' })
    expect(await settled()).toEqual(['deleted a', 'created a/inner', 'created b', 'deleted b/c'])
  })

  it('nothing about a file that was touched, or written again with the same content', async () => {
    const { root, settled } = await watched({ files: { old: 'same' } })
    await fill(root, { young: 'same' })
    expect(await settled()).toEqual(['created young'])
    for (const name of ['old', 'young']) {
      await utimes(join(root, name), new Date(0), new Date(0))
      expect(await settled()).toEqual([])
      await writeFile(join(root, name), 'same')
      expect(await settled()).toEqual([])
    }
  })

  it('a file that came and went between two looks not at all', async () => {
    const { root, settled } = await watched()
    await fill(root, { brief: '1' })
    await rm(join(root, 'brief'))
    expect(await settled()).toEqual([])
  })

  it('everything when the workspace itself appears later', async () => {
    const { root, settled, notes } = await watched({ files: { a: '1' } })
    await rm(root, { recursive: true })
    expect(await settled()).toEqual(['deleted a'])
    expect(notes).toEqual([
      { kind: 'unreadable', message: expect.stringMatching(/^the agent workspace .*ENOENT/) },
    ])
    await fill(root, { b: '2' })
    expect(await settled()).toEqual(['created b'])
  })

  it('changes that happen while others are told', async () => {
    let meanwhile = () => Promise.resolve()
    const { root, settled } = await watched({
      onChange: async () => {
        const write = meanwhile
        meanwhile = () => Promise.resolve()
        await write()
      },
    })
    meanwhile = () => fill(root, { a: 'changed again', c: 'new' })
    await fill(root, { a: '1', b: '2' })
    expect(await settled()).toEqual(['created a', 'created b'])
    expect(await settled()).toEqual(['modified a', 'created c'])
  })

  it('a file that is replaced before it is read, as it is then', async () => {
    let isFirst = true
    const { root, watch, updates } = await watched({
      onChange: async () => {
        if (!isFirst) return
        isFirst = false
        await fill(root, { other: 'replaced' })
        await rename(join(root, 'other'), join(root, 'z'))
      },
    })
    for (const name of 'abcdefghijklz') await fill(root, { [name]: 'first' })
    expect(await watch.settle()).toBe(true)
    expect(updates).toHaveLength(13)
    expect(updates.at(-1)).toMatchObject({ path: 'z', action: 'created', content: 'replaced' })
  })
})

describe('the tree', () => {
  verifies(['6/filetree-updated'], 'is told once after a batch in which files came or went', async () => {
    const { root, settled, trees } = await watched({ files: { 'src/a.ts': '' } })
    await fill(root, { 'src/b.ts': '1', 'new/c.ts': '2', 'new/d.ts': '3' })
    await settled()
    expect(trees).toHaveLength(1)
    expect(events['filetree.updated'].data.safeParse({ tree: trees[0] }).success).toBe(true)
    expect(trees[0]?.map(({ name, children }) => [name, children.map(child => child.name)])).toEqual([
      ['new', ['c.ts', 'd.ts']],
      ['src', ['a.ts', 'b.ts']],
    ])
  })

  it('is not told for a change of content, but knows its time', async () => {
    const { root, settled, trees, watch } = await watched({ files: { a: '1' } })
    await fill(root, { a: '22' })
    await utimes(join(root, 'a'), 1, 1)
    await settled()
    expect(trees).toEqual([])
    expect(await watch.tree()).toMatchObject([{ name: 'a', lastModified: '1970-01-01T00:00:01.000Z' }])
  })

  it('is not told for empty directories', async () => {
    const { root, settled, trees } = await watched()
    await mkdir(join(root, 'empty/deep'), { recursive: true })
    expect(await settled()).toEqual([])
    expect(trees).toEqual([])
  })
})

describe('addPatterns', () => {
  it('takes what is there as it is, tells the tree, and from then on every change', async () => {
    const { root, watch, settled, trees } = await watched({
      files: { 'a.md': '1', 'a.txt': '1', 'b.log': '1' },
      patterns: ['*.md'],
    })
    await fill(root, { 'a.md': '22', 'late.md': '', 'a.txt': '22' })
    expect(await watch.addPatterns(['*.txt', '!b*'])).toEqual({ ok: true })
    expect(await settled()).toEqual(['modified a.md', 'created late.md'])
    expect(trees.at(-1)?.map(({ name }) => name)).toEqual(['a.md', 'a.txt', 'late.md'])
    await fill(root, { 'a.txt': '333', 'c.txt': '', 'b.log': '' })
    expect(await settled()).toEqual(['modified a.txt', 'created c.txt'])
  })

  it('looks no further when nothing is new', async () => {
    const { watch, root, told } = await watched({ patterns: ['*.md', 'docs'] })
    await fill(root, { 'a.md': '' })
    expect(await watch.addPatterns(['docs'])).toEqual({ ok: true })
    expect(told()).toEqual([])
  })

  it('refuses a pattern that is none, and goes on', async () => {
    const { watch, root, settled } = await watched()
    const costly = '**/a/**/b/**/c/**/d'
    expect(await watch.addPatterns([costly])).toMatchObject({ ok: false, pattern: costly })
    await fill(root, { a: '' })
    expect(await settled()).toEqual(['created a'])
  })
})

describe('the end', () => {
  it('closes: nothing is told any more, and settling says so', async () => {
    const { watch, root, told } = await watched()
    await fill(root, { a: '' })
    const settling = watch.settle()
    await Promise.all([watch.close(), watch.close()])
    expect(await settling).toBe(false)
    expect(await watch.settle()).toBe(false)
    watch.hint()
    expect(await watch.addPatterns(['x'])).toEqual({ ok: true })
    expect(told()).toEqual([])
  })

  it('comes in the middle of a burst when it is closed then', async () => {
    let count = 0
    const onChange = () => {
      if (++count === 10) void watch.close()
    }
    const { watch, root, updates } = await watched({ onChange })
    for (let file = 0; file < 30; file++) await fill(root, { [`f${file}`]: 'x' })
    expect(await watch.settle()).toBe(false)
    expect(updates).toHaveLength(10)
  })

  it('comes when a callback throws, and settling says why', async () => {
    const full = new Error('disk full')
    const onChange = () => {
      throw full
    }
    const { watch, root, clock } = await watched({ onChange })
    await fill(root, { a: '' })
    await expect(watch.settle()).rejects.toBe(full)
    await expect(watch.settle()).rejects.toBe(full)
    expect(clock.sleepers()).toBe(0)
    await watch.close()
  })
})
