import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { copyFrom } from './output-runs.ts'

describe('a name that is taken', () => {
  verifies(
    ['2.4/output-conflict-renamed'],
    'makes the new file file_<counter>_<timestamp>.<ext>, and the old one stays as it is',
    async () => {
      const workspace = await preparedWorkspace()
      const files = { 'a/report.md': 'new', LICENSE: 'new', '.env': 'new', 'x.tar.gz': 'new' }
      const old = { 'a/report.md': 'old', LICENSE: 'old', '.env': 'old', 'x.tar.gz/': '' }
      await put(workspace.agentRoot, files)
      await put(workspace.output, old)
      const clock = createTestClock('2026-03-04T05:06:07.890Z')
      const outcome = await copyFrom(workspace, ['**'], { clock })
      const renamed = {
        'a/report_1_20260304-050607.md': 'new',
        'LICENSE_1_20260304-050607': 'new',
        '.env_1_20260304-050607': 'new',
        'x.tar_1_20260304-050607.gz': 'new',
      }
      expect(outcome.ok && outcome.copied.map(file => file.to).sort()).toEqual(Object.keys(renamed).sort())
      expect(await treeOf(workspace.output)).toEqual({ ...old, ...renamed })
      await copyFrom(workspace, ['LICENSE'], { clock: createTestClock('2027-01-01T00:00:00Z') })
      expect(await readdir(workspace.output)).toContain('LICENSE_2_20270101-000000')
    },
  )

  it('fits the new name into what a file system allows, without half a character', async () => {
    const workspace = await preparedWorkspace()
    const names = [`${'n'.repeat(251)}.txt`, `${'ü'.repeat(125)}.txt`, `a.${'e'.repeat(250)}`]
    for (const directory of [workspace.agentRoot, workspace.output]) {
      await put(directory, Object.fromEntries(names.map(name => [name, directory])))
    }
    const outcome = await copyFrom(workspace, ['*'], { clock: createTestClock('2026-03-04T05:06:07.000Z') })
    const renamed = outcome.ok ? outcome.copied.map(file => file.to) : []
    expect(renamed).toHaveLength(3)
    for (const name of renamed) {
      expect(name).toMatch(/^(n+_1_20260304-050607\.txt|ü+_1_20260304-050607\.txt|a\.e+_1_20260304-050607)$/)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    }
    for (let time = 0; time < 3; time++) expect(await copyFrom(workspace, ['*'])).toMatchObject({ ok: true })
    expect(await readdir(workspace.output)).toHaveLength(15)
  })

  verifies(
    ['2.4/output-conflict-limit', '8/output-conflicts'],
    'is resolved a hundred times per file; the next time is a failure that changes nothing',
    async () => {
      const workspace = await preparedWorkspace({ inMemory: true })
      await put(workspace.agentRoot, { 'a.txt': 'a', 'b.txt': 'b' })
      for (let time = 0; time <= 100; time++) {
        const clock = createTestClock(new Date(Date.UTC(2026, 0, 1) + time * 1000))
        expect(await copyFrom(workspace, ['a.txt'], { clock })).toMatchObject({ ok: true })
      }
      const before = await treeOf(workspace.output)
      expect(Object.keys(before)).toHaveLength(101)
      expect(before).toHaveProperty(['a_100_20260101-000140.txt'])
      const outcome = await copyFrom(workspace, ['*.txt'])
      expect(outcome).toMatchObject({
        ok: false,
        kind: 'failed',
        during: 'copy',
        message: expect.stringContaining('100'),
      })
      expect(await treeOf(workspace.output)).toEqual(before)
      expect(await copyFrom(workspace, ['b.txt'])).toMatchObject({ ok: true, copied: [{ to: 'b.txt' }] })
    },
    60_000,
  )

  verifies(
    ['2.4/overwrite-output'],
    'with overwriting: the old file is replaced and nothing is renamed',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.agentRoot, { 'a.txt': 'new', 'sub/b.txt': 'new', 'c.txt': 'new' })
      await put(workspace.outside, { precious: 'precious' })
      await put(workspace.output, {
        'a.txt': 'old',
        'sub/b.txt': 'old',
        'sub/own.txt': 'own',
        'c.txt': { link: '../outside/precious' },
      })
      const outcome = await copyFrom(workspace, ['**'], { overwrite: true })
      expect(outcome).toMatchObject({
        ok: true,
        copied: [{ to: 'a.txt' }, { to: 'c.txt' }, { to: 'sub/b.txt' }],
      })
      expect(await treeOf(workspace.output)).toEqual({
        'a.txt': 'new',
        'c.txt': 'new',
        'sub/b.txt': 'new',
        'sub/own.txt': 'own',
      })
      expect(await treeOf(workspace.outside)).toEqual({ precious: 'precious' })
    },
  )
})
