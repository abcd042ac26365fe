import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkpointManifest } from './manifest.ts'
import { openScene } from './scene.ts'

test('packing leaves every checkpoint as it is, in one pack', async () => {
  const scene = await openScene()
  const shas: string[] = []
  for (let round = 0; round < 12; round++) {
    scene.write('file', 'line\n'.repeat(1_000) + round)
    if (round === 5) scene.write('large', Buffer.alloc(9 << 20, 'large'))
    shas.push(await scene.create())
  }
  const manifests = shas.map(sha => checkpointManifest(scene, sha))
  const before = await scene.store.size()
  expect(before).toMatchObject({ packs: 12, loose: 1 })
  expect(await scene.store.pack()).toEqual({ ok: true })
  const after = await scene.store.size()
  expect(after).toMatchObject({ packs: 1, loose: 0 })
  expect(after.bytes).toBeLessThan(before.bytes)
  expect(shas.map(sha => checkpointManifest(scene, sha))).toEqual(manifests)
  expect(await scene.store.pack()).toEqual({ ok: true })
  scene.write('file', 'after')
  await scene.create()
  expect((await scene.store.check()).ok).toBe(true)
})

test('an empty store can be packed, pruned and checked', async () => {
  const scene = await openScene()
  expect(await scene.store.pack()).toEqual({ ok: true })
  expect(await scene.store.prune({ olderThanMs: 0 })).toEqual({ ok: true })
  expect(await scene.store.check()).toEqual({ ok: true, faults: [] })
  expect(await scene.store.size()).toEqual({ bytes: 0, packs: 0, loose: 0 })
})

test('pruning drops what nothing refers to, once it is old enough, and nothing else', async () => {
  const scene = await openScene()
  scene.write('file', 'kept')
  const kept = await scene.create()
  scene.write('file', 'dropped')
  const dropped = await scene.create({ runId: 'run_2' })
  rmSync(join(scene.gitDir, 'refs/heads/run-run_2'))
  scene.write('file', 'kept')
  await scene.create()
  const blob = scene.git('rev-parse', `${dropped}:file`).toString().trim()
  expect(await scene.store.prune({ olderThanMs: 60_000 })).toEqual({ ok: true })
  expect(scene.git('cat-file', 'blob', blob).toString()).toBe('dropped')
  expect(await scene.store.pack()).toEqual({ ok: true })
  expect(scene.git('cat-file', 'blob', blob).toString()).toBe('dropped')
  expect(await scene.store.prune({ olderThanMs: -60_000 })).toEqual({ ok: true })
  expect(() => scene.git('cat-file', 'blob', blob)).toThrow()
  expect(await scene.store.isComplete(kept)).toBe(true)
  expect(await scene.store.isComplete(dropped)).toBe(false)
  expect((await scene.store.check()).ok).toBe(true)
})

test('damage is found', async () => {
  const scene = await openScene()
  scene.write('file', 'content that will be damaged'.repeat(100))
  const sha = await scene.create()
  const folder = join(scene.gitDir, 'objects/pack')
  const pack = join(folder, readdirSync(folder).find(name => name.endsWith('.pack')) ?? '')
  const bytes = readFileSync(pack)
  bytes[20] = (bytes[20] ?? 0) ^ 0xff
  chmodSync(pack, 0o600)
  writeFileSync(pack, bytes)
  const checked = await scene.store.check()
  expect(checked.ok).toBe(false)
  expect(checked.faults.length).toBeGreaterThan(0)
  rmSync(pack)
  expect(await scene.store.isComplete(sha)).toBe(false)
  expect((await scene.store.check()).ok).toBe(false)
})
