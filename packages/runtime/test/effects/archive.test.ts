import { execFileSync } from 'node:child_process'
import { chmod, lstat, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { performArchive, planArchive, restoreArchived } from '../../src/effects/index.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { archived, entriesOf, planned } from './archive-runs.ts'

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
