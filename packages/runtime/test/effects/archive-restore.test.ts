import { chmod, lstat, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { restoreArchived } from '../../src/effects/index.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { archived, entriesOf } from './archive-runs.ts'

describe('restoring', () => {
  verifies(
    ['attack/archive-digest'],
    'says which file comes back with other bytes than were archived, and brings it back all the same',
    async () => {
      const { layout } = await preparedWorkspace({ inMemory: true })
      await put(layout.agentRoot, { 'n/good': 'good', 'n/spoilt': 'whole' })
      const moved = await archived(layout, ['n/**'])
      const spoilt = moved.find(({ from }) => from === 'n/spoilt')
      await writeFile(join(layout.rigArchive, spoilt?.to ?? ''), '')
      const outcome = await restoreArchived(layout, moved)
      const message = expect.stringMatching(
        new RegExp(
          `^n/spoilt came back .*: 0 bytes with sha256 e3b0c44298fc, archived was sha256 ${spoilt?.sha256.slice(0, 12)}\\.`,
        ),
      )
      expect(outcome).toMatchObject({ ok: true, differing: [{ from: 'n/spoilt', message }] })
      expect(Object.keys(await treeOf(layout.agentRoot)).filter(path => path.startsWith('n/'))).toHaveLength(
        2,
      )
    },
  )

  it('puts thousands of files with odd names back as they were, and empties the archive', async () => {
    const { layout } = await preparedWorkspace({ inMemory: true })
    const odd = [
      'ünï çødé 🧵.txt',
      'new\nline',
      'back\\slash',
      ' -rf *',
      'C:x',
      '.hidden',
      `${'n'.repeat(251)}.txt`,
    ]
    const names = [...odd, ...Array.from({ length: 2000 }, (_, index) => `d${index % 40}/f${index}`)]
    await put(layout.agentRoot, Object.fromEntries(names.map(name => [name, name])))
    await put(layout.agentRoot, { 'd0/link': { link: '/etc/passwd' } })
    const before = await treeOf(layout.agentRoot)
    const moved = await archived(layout, ['**'])
    expect(await treeOf(layout.agentRoot)).toEqual({})
    const outcome = await restoreArchived(layout, moved)
    expect(outcome).toMatchObject({ ok: true, kept: [], differing: [], missing: [] })
    expect(await treeOf(layout.agentRoot)).toEqual(before)
    expect(await treeOf(layout.rigArchive)).toEqual({})
    expect(await entriesOf(layout)).toEqual([])
    expect(await restoreArchived(layout, moved)).toEqual({
      ok: true,
      restored: [],
      kept: [],
      differing: [],
      missing: [],
    })
  })

  it('restores only what is asked for', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { a: 'a', b: 'b' })
    await archived(layout, ['a'], { owner: 'one', codonId: 'one' })
    await archived(layout, ['b'], { owner: 'two', codonId: 'two' })
    const undone = (await entriesOf(layout)).filter(entry => entry.codonId === 'two')
    expect(await restoreArchived(layout, undone)).toMatchObject({ restored: ['b'] })
    expect(await treeOf(layout.rigArchive)).toEqual({ 'one/a': 'a' })
  })

  it('never touches another file in the place, and says so; the same bytes count as restored', async () => {
    const { layout, outside } = await preparedWorkspace()
    await put(layout.agentRoot, { newer: 'old', same: 's', 'dir/x': 'x', 'way/x': 'x', 'folder/f': 'f' })
    const moved = await archived(layout, ['**'])
    await put(layout.agentRoot, {
      newer: 'new',
      same: 's',
      dir: 'a file',
      way: { link: '../../outside' },
      'folder/f/': '',
    })
    const outcome = await restoreArchived(layout, moved)
    expect(outcome).toMatchObject({ ok: true, restored: ['same'], missing: [] })
    expect(outcome.ok && outcome.kept.map(kept => kept.message)).toEqual([
      'dir/x cannot be put back: dir is not a directory',
      'folder/f has another file in its place',
      'newer has another file in its place',
      'way/x cannot be put back: way is a symbolic link',
    ])
    expect(await treeOf(layout.agentRoot)).toMatchObject({ newer: 'new', same: 's', dir: 'a file' })
    expect(await treeOf(outside)).toEqual({})
    expect((await entriesOf(layout)).map(({ from, state }) => [from, state])).toEqual([
      ['dir/x', 'archived'],
      ['folder/f', 'archived'],
      ['newer', 'archived'],
      ['way/x', 'archived'],
    ])
    await rm(join(layout.agentRoot, 'newer'))
    expect(await restoreArchived(layout, moved)).toMatchObject({ ok: true, restored: ['newer'] })
  })

  it('of several files that had one path, the oldest wins, whatever the clock said', async () => {
    const { layout } = await preparedWorkspace()
    for (const [content, year] of [
      ['first', '2027'],
      ['second', '2025'],
      ['third', '2026'],
    ]) {
      await put(layout.agentRoot, { a: content ?? '' })
      await archived(layout, ['a'], { clock: createTestClock(`${year}-01-01T00:00:00.000Z`) })
    }
    const outcome = await restoreArchived(layout, (await entriesOf(layout)).toReversed())
    expect(outcome).toMatchObject({
      ok: true,
      restored: ['a'],
      kept: [{ to: 'draft/a~2' }, { to: 'draft/a~3' }],
    })
    expect(await treeOf(layout.agentRoot)).toEqual({ a: 'first' })
  })

  it('tells what is nowhere any more, and what leads out of the workspace', async () => {
    const { layout, outside } = await preparedWorkspace()
    await put(layout.agentRoot, { a: 'a', b: 'b' })
    await archived(layout, ['*'])
    await rm(join(layout.rigArchive, 'draft/a'))
    const entries = (await entriesOf(layout)).map(entry =>
      entry.from === 'b' ? { ...entry, from: '../../outside/b' } : entry,
    )
    await writeFile(layout.archiveManifest, JSON.stringify({ version: 1, entries }))
    expect(await restoreArchived(layout, entries)).toMatchObject({
      ok: true,
      restored: [],
      missing: ['a'],
      kept: [{ message: expect.stringContaining('leaves the directory') }],
    })
    expect(await treeOf(outside)).toEqual({})
  })
})

it('an archive on another device holds whole copies with their modes and times, both ways', async () => {
  const { layout: here } = await preparedWorkspace()
  const layout = { ...here, rigArchive: join(await tempDir({ inMemory: true }), 'rigArchive') }
  await put(layout.agentRoot, { 'bin/run': '#!', link: { link: 'bin/run' } })
  const file = join(layout.agentRoot, 'bin/run')
  await chmod(file, 0o755)
  await utimes(file, 1_000_000, 2_000_000)
  await writeFile(join(layout.agentRoot, 'large'), Buffer.alloc(3 << 20, 'x'))
  const before = await treeOf(layout.agentRoot)
  const moved = await archived(layout, ['**'])
  expect(await treeOf(layout.agentRoot)).toEqual({})
  expect(Object.keys(await treeOf(layout.rigArchive))).toEqual(['draft/bin/run', 'draft/large', 'draft/link'])
  const { mode, mtimeMs } = await lstat(join(layout.rigArchive, 'draft/bin/run'))
  expect([mode & 0o777, mtimeMs]).toEqual([0o755, 2_000_000_000])
  expect(await restoreArchived(layout, moved)).toMatchObject({ ok: true, kept: [] })
  expect(await treeOf(layout.agentRoot)).toEqual(before)
  expect((await lstat(file)).mode & 0o777).toBe(0o755)
})
