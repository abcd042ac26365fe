import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { selectionOf } from './requests.ts'
import { openScene, type Scene } from './scene.ts'

async function twoCheckpoints(scene: Scene): Promise<readonly [string, string]> {
  scene.write('edited', 'one\ntwo\n')
  scene.write('deleted', 'gone\n')
  scene.write('tool', 'x')
  scene.write('turned', 'x')
  scene.write('in/binary', Buffer.from([0, 1, 2]))
  const from = await scene.create()
  scene.write('edited', 'one\n2\nthree\n')
  rmSync(join(scene.workTree, 'deleted'))
  chmodSync(join(scene.workTree, 'tool'), 0o755)
  rmSync(join(scene.workTree, 'turned'))
  symlinkSync('elsewhere', join(scene.workTree, 'turned'))
  scene.write('in/binary', Buffer.from([0, 1, 3]))
  scene.write('in/added', 'new\n')
  return [from, await scene.create()]
}

test('says what is different between two checkpoints', async () => {
  const scene = await openScene()
  const [from, to] = await twoCheckpoints(scene)
  const compared = await scene.store.diff({ from, to, lines: true })
  if (!compared.ok) throw new Error(compared.message)
  expect(
    compared.files.map(({ path, status, additions, deletions, isBinary }) => [
      path,
      status,
      isBinary ? 'binary' : [additions, deletions],
    ]),
  ).toEqual([
    ['deleted', 'deleted', [0, 1]],
    ['edited', 'modified', [2, 1]],
    ['in/added', 'added', [1, 0]],
    ['in/binary', 'modified', 'binary'],
    ['tool', 'mode-changed', [0, 0]],
    ['turned', 'type-changed', [1, 1]],
  ])
  const [, edited] = compared.files
  expect([edited?.before?.mode, edited?.after?.oid]).toEqual([
    0o100644,
    scene.git('rev-parse', `${to}:edited`).toString().trim(),
  ])
})

test('compares a checkpoint with the disk', async () => {
  const scene = await openScene()
  scene.write('file', 'one')
  scene.write('other', 'one')
  const from = await scene.create()
  scene.write('file', 'two')
  const compared = await scene.store.diff({ from, to: selectionOf(['**']) })
  expect(compared.ok && compared.files.map(({ path, status }) => [path, status])).toEqual([
    ['file', 'modified'],
  ])
  expect((await scene.store.list('run_1')).length).toBe(1)
})

test('shows the text, only for the paths asked for, and not more of it than asked for', async () => {
  const scene = await openScene()
  const [from, to] = await twoCheckpoints(scene)
  const some = await scene.store.diff({ from, to, text: true, paths: ['edited', 'in/*'] })
  if (!some.ok) throw new Error(some.message)
  expect(some.files.map(({ path }) => path)).toEqual(['edited'])
  expect(some.text?.isCut).toBe(false)
  expect(some.text?.bytes.toString()).toContain('-two\n+2\n+three\n')
  const cut = await scene.store.diff({ from, to, text: true, maxTextBytes: 10 })
  expect(cut.ok && cut.text?.isCut).toBe(true)
  for (const odd of ['e'.repeat(40), '--output=/tmp/x', 'HEAD', '']) {
    expect((await scene.store.diff({ from, to: odd })).ok).toBe(false)
    expect((await scene.store.diff({ from: odd, to })).ok).toBe(false)
  }
})

test('lists the files of a checkpoint with their sizes', async () => {
  const scene = await openScene()
  const [, to] = await twoCheckpoints(scene)
  const files = await scene.store.listFiles(to)
  expect(files?.map(({ path, mode, size }) => [path, mode.toString(8), size])).toEqual([
    ['edited', '100644', 12],
    ['in/added', '100644', 4],
    ['in/binary', '100644', 3],
    ['tool', '100755', 1],
    ['turned', '120000', 9],
  ])
  expect(await scene.store.listFiles('f'.repeat(40))).toBeUndefined()
})
