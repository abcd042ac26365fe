import { execFileSync } from 'node:child_process'
import { chmod, lstat, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { performArchive, restoreArchived } from '../../src/workspace/archive.ts'
import { type ArchiveEntry, readArchive } from '../../src/workspace/archive-manifest.ts'
import { type ArchivePlan, type ArchiveRequest, planArchive } from '../../src/workspace/archive-plan.ts'
import type { ExecutionLayout } from '../../src/workspace/layout.ts'
import { preparedWorkspace, put, treeOf } from './prepared-workspace.ts'

async function planned(
  layout: ExecutionLayout,
  patterns: readonly string[],
  more: Partial<ArchiveRequest> = {},
): Promise<ArchivePlan> {
  const request = { patterns, owner: 'draft', runId: 'run_1', codonId: 'draft', ...more }
  const result = await planArchive(layout, request)
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result.plan
}

async function archived(
  layout: ExecutionLayout,
  patterns: readonly string[],
  more: Partial<ArchiveRequest> = {},
): Promise<readonly ArchiveEntry[]> {
  const outcome = await performArchive(layout, await planned(layout, patterns, more))
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.moved
}

async function entriesOf(layout: ExecutionLayout): Promise<readonly ArchiveEntry[]> {
  const read = await readArchive(layout.archiveManifest)
  if (!read.ok) throw new Error(read.message)
  return read.entries
}

describe('archiving', () => {
  verifies(
    ['d3/codon-archive', '2.11/base-archive-on-success'],
    'moves the selected files of the workspace to rigArchive/<runtimeId>/ under their paths',
    async () => {
      const { layout } = await preparedWorkspace()
      await put(layout.agentRoot, {
        'src/a.ts': 'a',
        'src/deep/b.ts': 'b',
        'src/deep/keep.md': 'k',
        'empty/': '',
        'note.ts': 'n',
      })
      await chmod(join(layout.agentRoot, 'src/a.ts'), 0o751)
      const moved = await archived(layout, ['src/**/*.ts'])
      expect(moved.map(({ from, to }) => [from, to])).toEqual([
        ['src/a.ts', 'draft/src/a.ts'],
        ['src/deep/b.ts', 'draft/src/deep/b.ts'],
      ])
      expect(await treeOf(layout.rigArchive)).toEqual({ 'draft/src/a.ts': 'a', 'draft/src/deep/b.ts': 'b' })
      expect(await treeOf(layout.agentRoot)).toEqual({
        'empty/': '',
        'note.ts': 'n',
        'src/deep/keep.md': 'k',
      })
      expect((await lstat(join(layout.rigArchive, 'draft/src/a.ts'))).mode & 0o777).toBe(0o751)
    },
  )

  verifies(
    ['d3/codon-archive-iteration', 'd3/loop-archive'],
    'writes # as - for an iteration and takes the id of a loop as it is; no id leads out of the archive',
    async () => {
      const { layout, outside } = await preparedWorkspace()
      for (const owner of ['review#0', 'the-loop', '../../outside', '..', 'a/b']) {
        await put(layout.agentRoot, { x: owner })
        await archived(layout, ['x'], { owner })
      }
      const tree = await treeOf(layout.rigArchive)
      expect(tree).toMatchObject({ 'review-0/x': 'review#0', 'the-loop/x': 'the-loop' })
      expect(Object.values(tree).sort()).toEqual(['..', '../../outside', 'a/b', 'review#0', 'the-loop'])
      expect(await treeOf(outside)).toEqual({})
    },
  )

  verifies(['d3/archive-manifest'], 'keeps a manifest in .weave/archive.json', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { 'a.txt': 'hello\n', link: { link: '/nowhere' } })
    await chmod(join(layout.agentRoot, 'a.txt'), 0o640)
    const clock = createTestClock('2026-01-02T03:04:05.000Z')
    await archived(layout, ['*'], { owner: 'loop', runId: 'run_7', codonId: 'last#2', clock })
    const manifest = JSON.parse(await readFile(join(layout.dir, '.weave/archive.json'), 'utf8'))
    const common = {
      owner: 'loop',
      movedAt: '2026-01-02T03:04:05.000Z',
      runId: 'run_7',
      codonId: 'last#2',
      state: 'archived',
    }
    expect(manifest).toEqual({
      version: 1,
      entries: [
        {
          ...common,
          kind: 'file',
          from: 'a.txt',
          to: 'loop/a.txt',
          mode: 0o640,
          sha256: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
        },
        {
          ...common,
          kind: 'symlink',
          from: 'link',
          to: 'loop/link',
          mode: 0o777,
          sha256: expect.any(String),
        },
      ],
    })
  })

  it('only plans at first, and writes nothing when there is nothing to move', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { 'a.txt': 'a' })
    const before = await treeOf(layout.dir)
    await planned(layout, ['*'])
    expect(await archived(layout, ['*.none'])).toEqual([])
    expect(await treeOf(layout.dir)).toEqual(before)
  })

  it('takes what is below .git, follows no link, and leaves the data and what is no file', async () => {
    const { layout, outside } = await preparedWorkspace()
    await put(outside, { 'secret/key': 's' })
    await put(layout.agentRoot, {
      '.git/config': 'g',
      'read_only_data_source/d.csv': 'd',
      way: { link: '../../outside/secret' },
      broken: { link: 'missing' },
    })
    execFileSync('mkfifo', [join(layout.agentRoot, 'pipe')])
    const request = { patterns: ['**'], owner: 'draft', runId: 'r', codonId: 'draft' }
    const result = await planArchive(layout, request)
    expect(result).toMatchObject({ ok: true, warnings: ['archive: pipe is not a regular file; it stays'] })
    await performArchive(layout, result.ok ? result.plan : { entries: [] })
    expect(await treeOf(layout.rigArchive)).toEqual({
      'draft/.git/config': 'g',
      'draft/broken': '-> missing',
      'draft/way': '-> ../../outside/secret',
    })
    expect(await treeOf(layout.agentRoot)).toEqual({ pipe: '(special)', 'read_only_data_source/d.csv': 'd' })
    expect(await treeOf(outside)).toEqual({ 'secret/key': 's' })
  })

  it('gives the next of a name a number, also where a file was and a directory comes', async () => {
    const { layout } = await preparedWorkspace()
    for (const content of ['one', 'two', 'three']) {
      await put(layout.agentRoot, { 'src/a.tar.gz': content, src2: content })
      await archived(layout, ['*'])
    }
    await put(layout.agentRoot, { 'src2/inner': 'four', 'src2~2': 'five', 'src/a.tar.gz/x': 'six' })
    await archived(layout, ['*'])
    expect(await treeOf(join(layout.rigArchive, 'draft'))).toEqual({
      'src/a.tar.gz': 'one',
      'src/a.tar~2.gz': 'two',
      'src/a.tar~3.gz': 'three',
      'src/a.tar~4.gz/x': 'six',
      src2: 'one',
      'src2~2': 'two',
      'src2~3': 'three',
      'src2~4/inner': 'four',
      'src2~2~2': 'five',
    })
    const entries = await entriesOf(layout)
    expect(entries.filter(entry => entry.from === 'src2').map(entry => entry.to)).toEqual([
      'draft/src2',
      'draft/src2~2',
      'draft/src2~3',
    ])
  })

  it('tells what vanished after the plan, and moves what was replaced as it is now', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { 'sub/gone': 'g', 'sub/there': 't', 'way/x': 'x' })
    const plan = await planned(layout, ['**'])
    await rm(join(layout.agentRoot, 'sub/gone'))
    await rm(join(layout.agentRoot, 'way'), { recursive: true })
    await symlink('../../outside', join(layout.agentRoot, 'way'))
    expect(await performArchive(layout, plan)).toMatchObject({ ok: true, vanished: ['sub/gone', 'way/x'] })
    expect(await treeOf(layout.rigArchive)).toEqual({ 'draft/sub/there': 't' })
    expect((await entriesOf(layout)).map(entry => entry.from)).toEqual(['sub/there'])
  })

  it('is done once: performing a plan again changes nothing, not even a new file of the same name', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { 'a.txt': 'old' })
    const plan = await planned(layout, ['*'])
    const first = await performArchive(layout, plan)
    await put(layout.agentRoot, { 'a.txt': 'new' })
    expect(await performArchive(layout, plan)).toEqual(first)
    expect(await treeOf(layout.agentRoot)).toEqual({ 'a.txt': 'new' })
    expect(await treeOf(layout.rigArchive)).toEqual({ 'draft/a.txt': 'old' })
  })

  it('fails, and moves nothing, when a place in the archive is taken by something unknown', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { 'a.txt': 'a' })
    const plan = await planned(layout, ['*'])
    await put(layout.rigArchive, { 'draft/a.txt': 'planted' })
    expect(await performArchive(layout, plan)).toMatchObject({
      ok: false,
      message: expect.stringContaining('is taken'),
    })
    expect(await treeOf(layout.agentRoot)).toEqual({ 'a.txt': 'a' })
    expect(await entriesOf(layout)).toEqual([])
  })

  it('stops with the reason of the signal while it plans', async () => {
    const { layout } = await preparedWorkspace()
    await put(layout.agentRoot, { 'a.txt': 'a' })
    const request = { patterns: ['*'], owner: 'draft', runId: 'r', codonId: 'draft' }
    const outcome = await planArchive(layout, { ...request, signal: AbortSignal.abort('skip') })
    expect(outcome).toEqual({ ok: false, kind: 'stopped', reason: 'skip' })
  })

  it.each(['{"version":1,"entries":[{"owner":"x"}]}', '{"version":2,"entries":[]}', 'torn {'])(
    'goes no further with a manifest that is damaged: %s',
    async text => {
      const { layout } = await preparedWorkspace()
      await put(layout.agentRoot, { 'a.txt': 'a' })
      const plan = await planned(layout, ['*'])
      await writeFile(layout.archiveManifest, text)
      const request = { patterns: ['*'], owner: 'draft', runId: 'r', codonId: 'draft' }
      for (const outcome of [
        await planArchive(layout, request),
        await performArchive(layout, plan),
        await restoreArchived(layout, plan.entries),
      ]) {
        expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('is damaged') })
      }
      expect(await treeOf(layout.agentRoot)).toEqual({ 'a.txt': 'a' })
      expect(await readFile(layout.archiveManifest, 'utf8')).toBe(text)
    },
  )
})

describe('restoring', () => {
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
    expect(outcome).toMatchObject({ ok: true, kept: [], missing: [] })
    expect(await treeOf(layout.agentRoot)).toEqual(before)
    expect(await treeOf(layout.rigArchive)).toEqual({})
    expect(await entriesOf(layout)).toEqual([])
    expect(await restoreArchived(layout, moved)).toEqual({ ok: true, restored: [], kept: [], missing: [] })
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
