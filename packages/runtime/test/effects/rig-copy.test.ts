import { chmod, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { copy, runIn } from './rig-runs.ts'

describe('a copy into the workspace', () => {
  verifies(
    ['2.4/copy-to-renames-directory', '2.4/copy-to-full-target', '2.11/base-copy-to'],
    'gives a directory the name of the target, not a place inside it',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.hankDir, { 'templates/config/a.json': '{}', 'templates/config/deep/b.txt': 'b' })
      await put(workspace.hankDir, { 'templates/config/empty/': '' })
      const outcome = await runIn(workspace, [copy('./templates/config', 'src')])
      expect(outcome).toMatchObject({
        ok: true,
        copied: ['src'],
        operations: [{ type: 'copy', outcome: 'succeeded', to: 'src', files: 2, bytes: 3 }],
      })
      expect(await treeOf(workspace.agentRoot)).toEqual({
        'src/a.json': '{}',
        'src/deep/b.txt': 'b',
        'src/empty/': '',
      })
    },
  )

  verifies(
    ['2.4/copy-to-renames-file', 'd8/copy-creates-parents'],
    'gives a file another name, in directories that it makes, and keeps its permissions',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.hankDir, { 'run.sh': '#!/bin/sh\n' })
      await chmod(join(workspace.hankDir, 'run.sh'), 0o755)
      const outcome = await runIn(workspace, [copy('run.sh', './bin/tools/start')])
      expect(outcome).toMatchObject({ ok: true, copied: ['bin/tools/start'] })
      expect(await treeOf(workspace.agentRoot)).toEqual({ 'bin/tools/start': '#!/bin/sh\n' })
      const { mode } = await lstat(join(workspace.agentRoot, 'bin/tools/start'))
      expect(mode & 0o777).toBe(0o755)
    },
  )

  it('adds to a directory that is there and replaces its files of the same name', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/a.txt': 'new', 'kit/sub/b.txt': 'b' })
    await put(workspace.agentRoot, { 'src/a.txt': 'old', 'src/own.txt': 'kept', 'src/sub/c.txt': 'kept' })
    expect(await runIn(workspace, [copy('kit', 'src')])).toMatchObject({ ok: true })
    expect(await treeOf(workspace.agentRoot)).toEqual({
      'src/a.txt': 'new',
      'src/own.txt': 'kept',
      'src/sub/b.txt': 'b',
      'src/sub/c.txt': 'kept',
    })
  })

  it('may go into the workspace itself, but not into the data there', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/a.txt': 'a', 'bad/read_only_data_source/x': 'x' })
    await put(workspace.agentRoot, { 'read_only_data_source/data.csv': '1' })
    expect(await runIn(workspace, [copy('kit', '.')])).toMatchObject({ ok: true, copied: ['.'] })
    for (const operation of [copy('bad', '.'), copy('kit', 'read_only_data_source/kit')]) {
      const outcome = await runIn(workspace, [operation])
      expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('read-only') })
    }
    expect(await treeOf(workspace.agentRoot)).toEqual({ 'a.txt': 'a', 'read_only_data_source/data.csv': '1' })
  })

  it.each([
    ['a file where a directory is', copy('kit/a.txt', 'there'), { 'there/x': 'x' }, /there is a directory/],
    ['a directory where a file is', copy('kit', 'there'), { there: 'x' }, /there is not a directory/],
    ['a file below a file', copy('kit/a.txt', 'there/a.txt'), { there: 'x' }, /there is not a directory/],
    ['a file as the workspace', copy('kit/a.txt', '.'), {}, /needs a name/],
  ])('does not put %s', async (_what, operation, present, message) => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/a.txt': 'a' })
    await put(workspace.agentRoot, present)
    const before = await treeOf(workspace.agentRoot)
    const outcome = await runIn(workspace, [operation])
    expect(outcome).toMatchObject({
      ok: false,
      kind: 'failed',
      operation: 0,
      message: expect.stringMatching(message),
    })
    expect(await treeOf(workspace.agentRoot)).toEqual(before)
  })

  it('copies thousands of files with odd names, and leaves nothing else behind', async () => {
    const workspace = await preparedWorkspace({ inMemory: true })
    const odd = [
      'ünï çødé 🧵.txt',
      'new\nline',
      'back\\slash',
      ' -rf *',
      '#hash',
      '.hidden',
      `${'n'.repeat(251)}.txt`,
    ]
    const names = [...odd, ...Array.from({ length: 2000 }, (_, index) => `d${index % 40}/f${index}`)]
    await put(workspace.hankDir, Object.fromEntries(names.map(name => [`big/${name}`, name])))
    const outcome = await runIn(workspace, [copy('big', 'to/here')])
    expect(outcome).toMatchObject({ ok: true, operations: [{ files: names.length }] })
    expect(await treeOf(join(workspace.agentRoot, 'to/here'))).toEqual(
      Object.fromEntries(names.map(name => [name, name])),
    )
  })
})
