import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { type RigOperation, resolveReference, scanCopiedTree, treeMessage } from '../../src/hank/index.ts'
import { type RigRequest, runRig } from '../../src/workspace/rig.ts'
import type { CopySource } from '../../src/workspace/rig-copy.ts'
import { type PreparedWorkspace, preparedWorkspace, put, treeOf } from './prepared-workspace.ts'

const copy = (from: string, to: string, allowFailure?: boolean): RigOperation => ({
  type: 'copy',
  copy: { from, to },
  ...(allowFailure !== undefined && { allowFailure }),
})

/** As the runner puts it together from what the hank offers. */
async function resolveIn(hankDir: string, from: string): Promise<CopySource> {
  const resolved = resolveReference(hankDir, { path: from, label: 'copy.from' })
  if (!resolved.ok) return resolved
  const [finding] = await scanCopiedTree(resolved.path)
  return finding ? { ok: false, message: treeMessage(finding, from, 'copy.from') } : resolved
}

function rig({ layout, hankDir, surroundings }: PreparedWorkspace, ...operations: readonly RigOperation[]) {
  const resolveSource = (from: string) => resolveIn(hankDir, from)
  return (more: Partial<RigRequest> = {}) =>
    runRig({ operations, layout, resolveSource, ...surroundings, ...more })
}

describe('a copy into the workspace', () => {
  verifies(
    ['2.4/copy-to-renames-directory', '2.4/copy-to-full-target', '2.11/base-copy-to'],
    'gives a directory the name of the target, not a place inside it',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.hankDir, { 'templates/config/a.json': '{}', 'templates/config/deep/b.txt': 'b' })
      await put(workspace.hankDir, { 'templates/config/empty/': '' })
      const outcome = await rig(workspace, copy('./templates/config', 'src'))()
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
      const outcome = await rig(workspace, copy('run.sh', './bin/tools/start'))()
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
    expect(await rig(workspace, copy('kit', 'src'))()).toMatchObject({ ok: true })
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
    expect(await rig(workspace, copy('kit', '.'))()).toMatchObject({ ok: true, copied: ['.'] })
    for (const operation of [copy('bad', '.'), copy('kit', 'read_only_data_source/kit')]) {
      const outcome = await rig(workspace, operation)()
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
    const outcome = await rig(workspace, operation)()
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
    const outcome = await rig(workspace, copy('big', 'to/here'))()
    expect(outcome).toMatchObject({ ok: true, operations: [{ files: names.length }] })
    expect(await treeOf(join(workspace.agentRoot, 'to/here'))).toEqual(
      Object.fromEntries(names.map(name => [name, name])),
    )
  })
})

describe('traps on the way of a copy', () => {
  it.each([
    ['in the way to the target', { out: { link: '../../outside' } }, copy('kit/a.txt', 'out/a.txt')],
    ['in place of the target', { 'a.txt': { link: '../../outside/a.txt' } }, copy('kit/a.txt', 'a.txt')],
    ['below the target', { 'src/sub': { link: '../../../outside' } }, copy('kit', 'src')],
    [
      'in place of a file below the target',
      { 'src/a.txt': { link: '../../../outside/a.txt' } },
      copy('kit', 'src'),
    ],
    ['to somewhere inside', { inside: { link: 'real' }, 'real/': '' }, copy('kit/a.txt', 'inside/a.txt')],
    ['as the target directory', { src: { link: '../../outside' } }, copy('kit', 'src')],
  ])('a link %s is refused, not followed', async (_where, trap, operation) => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/a.txt': 'a', 'kit/sub/b.txt': 'b' })
    await put(workspace.outside, { 'a.txt': 'precious' })
    await put(workspace.agentRoot, trap)
    const outcome = await rig(workspace, operation)()
    expect(outcome).toMatchObject({
      ok: false,
      kind: 'failed',
      message: expect.stringMatching(/symlink|symbolic link/),
    })
    expect(await treeOf(workspace.outside)).toEqual({ 'a.txt': 'precious' })
  })

  it.each(['../escape', 'a/../../escape', '/tmp/escape', 'C:\\escape', 'a\\b', 'a\0b'])(
    'a target spelled %j is refused',
    async to => {
      const workspace = await preparedWorkspace()
      await put(workspace.hankDir, { 'a.txt': 'a' })
      const outcome = await rig(workspace, copy('a.txt', to))()
      expect(outcome).toMatchObject({ ok: false, copied: [], message: expect.stringContaining('is refused') })
      expect(await treeOf(workspace.agentRoot)).toEqual({})
    },
  )

  it('a source that is no longer what was scanned at load is refused as a whole', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.outside, { secret: 's' })
    await put(workspace.hankDir, { 'kit/a.txt': 'a', 'kit/z': { link: '../../outside/secret' } })
    const outcome = await rig(workspace, copy('kit', 'src'))()
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('contains a symlink at z') })
    expect(await treeOf(workspace.agentRoot)).toEqual({})
  })

  it('a link or a FIFO that comes after the last scan is not copied either', async () => {
    for (const spring of [
      (kit: string, outside: string) => symlink(join(outside, 'secret'), join(kit, 'z')),
      (kit: string) => Promise.resolve(execFileSync('mkfifo', [join(kit, 'z')])),
    ]) {
      const workspace = await preparedWorkspace()
      await put(workspace.outside, { secret: 's' })
      await put(workspace.hankDir, { 'kit/a.txt': 'a' })
      const resolveSource = async (from: string) => {
        const resolved = await resolveIn(workspace.hankDir, from)
        await spring(join(workspace.hankDir, 'kit'), workspace.outside)
        return resolved
      }
      const outcome = await rig(workspace, copy('kit', 'src'))({ resolveSource })
      expect(outcome).toMatchObject({
        ok: false,
        copied: ['src'],
        message: expect.stringContaining('z cannot be copied'),
      })
      expect(await treeOf(workspace.agentRoot)).toEqual({ 'src/a.txt': 'a' })
    }
  })

  it('a source that vanished, and a resolver that throws, are failures', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/a.txt': 'a' })
    const gone = async (from: string) => {
      const resolved = await resolveIn(workspace.hankDir, from)
      await rename(join(workspace.hankDir, 'kit'), join(workspace.hankDir, 'moved'))
      return resolved
    }
    expect(await rig(workspace, copy('kit', 'src'))({ resolveSource: gone })).toMatchObject({
      ok: false,
      kind: 'failed',
    })
    const throws = () => Promise.reject(new Error('no such thing'))
    expect(await rig(workspace, copy('kit', 'src'))({ resolveSource: throws })).toMatchObject({
      ok: false,
      message: 'copy of kit to src failed: no such thing',
    })
  })
})

it('files that are not whole yet are nowhere in the workspace, and none are left when the copy is over', async () => {
  const workspace = await preparedWorkspace()
  await put(workspace.hankDir, { 'kit/a.txt': 'a', 'kit/b.txt': 'b' })
  await put(workspace.agentRoot, { 'src/b.txt/': '' })
  await put(workspace.layout.internals, { 'scratch/left-by-a-kill': 'half' })
  expect(await rig(workspace, copy('kit', 'src'))()).toMatchObject({ ok: false })
  expect(await treeOf(workspace.layout.dir)).toEqual({
    '.weave/': '',
    'agentRoot/src/a.txt': 'a',
    'agentRoot/src/b.txt/': '',
  })
})

describe('a copy that is stopped', () => {
  it('tells the reason, keeps whole files only and covers no allowFailure', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/a.txt': 'a' })
    await writeFile(join(workspace.hankDir, 'kit/b.bin'), Buffer.alloc(3 << 20))
    const controller = new AbortController()
    const reason = { why: 'skip' }
    const resolveSource = async (from: string) => {
      const resolved = await resolveIn(workspace.hankDir, from)
      controller.abort(reason)
      controller.abort('second')
      return resolved
    }
    const operations = [copy('kit', 'src', true), copy('kit', 'other')]
    const outcome = await rig(
      workspace,
      ...operations,
    )({ resolveSource, signal: controller.signal, ignoreFailures: true })
    expect(outcome).toMatchObject({ ok: false, kind: 'stopped', operation: 0, reason, copied: ['src'] })
    expect(await readdir(workspace.agentRoot)).toEqual(['src'])
    expect(await readdir(join(workspace.agentRoot, 'src'))).toEqual([])
  })

  it('does not begin when the stop came before', async () => {
    const workspace = await preparedWorkspace()
    await mkdir(join(workspace.hankDir, 'kit'))
    const outcome = await rig(workspace, copy('kit', 'src'))({ signal: AbortSignal.abort('no') })
    expect(outcome).toEqual({
      ok: false,
      kind: 'stopped',
      operation: 0,
      reason: 'no',
      operations: [],
      copied: [],
    })
    expect(await treeOf(workspace.agentRoot)).toEqual({})
  })
})
