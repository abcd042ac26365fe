import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCheckpoints } from '../../src/checkpoint/index.ts'
import { systemClock } from '../../src/kit/index.ts'
import type { ScanObserver } from '../../src/tree/index.ts'
import { ordinary } from '../checkpoint/requests.ts'
import { fill, selectionOf, type Watched, watched } from './watch-fixture.ts'

/** Checkpoints of a watched workspace, each by the scan that the watch is settled with. */
async function checkpoints({ root, outside, watch }: Watched) {
  const opened = await openCheckpoints({
    gitDir: join(outside, 'checkpoints'),
    workTree: root,
    clock: systemClock,
    environment: process.env,
  })
  if (!opened.ok) throw new Error(opened.message)
  const { store } = opened
  onTestFinished(() => store.close())
  const selection = selectionOf(['**'])
  const create = (observer?: ScanObserver) => store.create({ ...ordinary, selection, observer })
  return { store, create, settled: () => watch.settleThrough(create) }
}

test('one scan emits, in order of path, what the checkpoint stores, and the tree once', async () => {
  const workspace = await watched({ files: { a: '1', 'd/gone': '', z: '1' } })
  const { root, told, trees } = workspace
  const { settled } = await checkpoints(workspace)
  expect(await settled()).toMatchObject({ ok: true, files: 3 })
  expect(told()).toEqual([])
  await fill(root, { a: '22', b: 'new', z: '22' })
  await rm(join(root, 'd'), { recursive: true })
  expect(await settled()).toMatchObject({ ok: true, files: 3 })
  expect(told()).toEqual(['modified a', 'created b', 'deleted d/gone', 'modified z'])
  expect(trees).toHaveLength(1)
  expect(await settled()).toMatchObject({ ok: true })
  expect(told()).toEqual([])
})

test('what an earlier checkpoint stored and nobody emitted yet is emitted too', async () => {
  const workspace = await watched({ files: { a: '1' } })
  const { create, settled } = await checkpoints(workspace)
  await fill(workspace.root, { a: '22', rig: 'copied' })
  expect(await create()).toMatchObject({ ok: true })
  expect(workspace.told()).toEqual([])
  await settled()
  expect(workspace.told()).toEqual(['modified a', 'created rig'])
})

test('a callback that throws is heard once the checkpoint is done, and ends the watch', async () => {
  const full = new Error('disk full')
  const workspace = await watched({
    onChange() {
      throw full
    },
  })
  const { store, settled } = await checkpoints(workspace)
  await fill(workspace.root, { a: '', b: '' })
  await expect(settled()).rejects.toBe(full)
  expect(await store.list(ordinary.runId)).toHaveLength(1)
  await expect(settled()).rejects.toBe(full)
  expect(await store.list(ordinary.runId)).toHaveLength(2)
  expect(workspace.updates).toHaveLength(1)
})

test('a checkpoint that fails is the failure, and the watch goes on', async () => {
  const { watch, root, settled } = await watched()
  const failing = watch.settleThrough(() => Promise.reject(new Error('no store')))
  await expect(failing).rejects.toThrow('no store')
  await fill(root, { a: '' })
  expect(await settled()).toEqual(['created a'])
})

test('after the end of the watch the checkpoint is made all the same, and nothing is emitted', async () => {
  const workspace = await watched()
  const { settled } = await checkpoints(workspace)
  await fill(workspace.root, { a: '' })
  const last = settled()
  await workspace.watch.close()
  expect(await last).toMatchObject({ ok: true, files: 1 })
  expect(await settled()).toMatchObject({ ok: true, files: 1 })
  expect(workspace.told()).toEqual([])
})
