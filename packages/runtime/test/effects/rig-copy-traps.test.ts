import { execFileSync } from 'node:child_process'
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { copy, resolveIn, runIn } from './rig-runs.ts'

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
    const outcome = await runIn(workspace, [operation])
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
      const outcome = await runIn(workspace, [copy('a.txt', to)])
      expect(outcome).toMatchObject({ ok: false, copied: [], message: expect.stringContaining('is refused') })
      expect(await treeOf(workspace.agentRoot)).toEqual({})
    },
  )

  it('a source that is no longer what was scanned at load is refused as a whole', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.outside, { secret: 's' })
    await put(workspace.hankDir, { 'kit/a.txt': 'a', 'kit/z': { link: '../../outside/secret' } })
    const outcome = await runIn(workspace, [copy('kit', 'src')])
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
      const outcome = await runIn(workspace, [copy('kit', 'src')], { resolveSource })
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
    expect(await runIn(workspace, [copy('kit', 'src')], { resolveSource: gone })).toMatchObject({
      ok: false,
      kind: 'failed',
    })
    const throws = () => Promise.reject(new Error('no such thing'))
    expect(await runIn(workspace, [copy('kit', 'src')], { resolveSource: throws })).toMatchObject({
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
  expect(await runIn(workspace, [copy('kit', 'src')])).toMatchObject({ ok: false })
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
    const outcome = await runIn(workspace, operations, {
      resolveSource,
      signal: controller.signal,
      ignoreFailures: true,
    })
    expect(outcome).toMatchObject({ ok: false, kind: 'stopped', operation: 0, reason, copied: ['src'] })
    expect(await readdir(workspace.agentRoot)).toEqual(['src'])
    expect(await readdir(join(workspace.agentRoot, 'src'))).toEqual([])
  })

  it('does not begin when the stop came before', async () => {
    const workspace = await preparedWorkspace()
    await mkdir(join(workspace.hankDir, 'kit'))
    const outcome = await runIn(workspace, [copy('kit', 'src')], { signal: AbortSignal.abort('no') })
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
