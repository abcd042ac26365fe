import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tidyExecution } from '../../src/at-rest/disk-usage.ts'
import { openCheckpoints } from '../../src/checkpoint/index.ts'
import { systemClock } from '../../src/kit/index.ts'
import { createScene, keeping, type Scene } from './scene.ts'

const many = Array.from({ length: 26 }, (_, at) => `c${at}`)

function manyCodons(hanging?: string): Promise<Scene> {
  return createScene(
    many.map(id => keeping(id)),
    codonId =>
      codonId === hanging ? [{ hang: true }] : [{ write: `${codonId}.md`, content: codonId.repeat(100) }],
  )
}

/** With the store of a scene in which nothing runs. */
async function inStore<Result>(
  { layout }: Scene,
  work: (
    store: Extract<Awaited<ReturnType<typeof openCheckpoints>>, { ok: true }>['store'],
  ) => Promise<Result>,
): Promise<Result> {
  const opened = await openCheckpoints({
    gitDir: layout.checkpoints,
    workTree: layout.agentRoot,
    clock: systemClock,
    environment: process.env,
  })
  if (!opened.ok) throw new Error(opened.message)
  const result = await work(opened.store)
  await opened.store.close()
  return result
}

const options = ({ layout }: Scene) => ({ layout, environment: process.env, clock: systemClock })

describe('the space of an execution', () => {
  test('is tidied by the run that comes to its end, and by gc where none did', async () => {
    const scene = await manyCodons('c25')
    await scene.run(async running => {
      await running.until('codon.started', 26)
      expect(await tidyExecution(options(scene))).toMatchObject({ ok: false, message: 'A run is going on.' })
      running.shutdown()
    })
    const loose = await inStore(scene, store => store.size())
    expect(loose.packs).toBeGreaterThan(24)
    const shas = (await scene.atRest(execution => execution.checkpoints())).map(({ sha }) => sha)
    const tidied = await tidyExecution(options(scene))
    if (!tidied.ok) throw new Error(tidied.message)
    expect(tidied.after.checkpoints).toBeLessThan(tidied.before.checkpoints)
    expect(tidied.after.journal).toBe(tidied.before.journal)
    expect(tidied.after.journal).toBeGreaterThan(0)
    await inStore(scene, async store => {
      expect(await store.size()).toMatchObject({ packs: 1 })
      for (const sha of shas) expect(await store.isComplete(sha)).toBe(true)
    })

    const done = await manyCodons()
    await done.run()
    expect(await inStore(done, store => store.size())).toMatchObject({ packs: 1, loose: 0 })
  })

  test('keeps what nothing refers to until it is told to drop it', async () => {
    const scene = await createScene([keeping('a')], () => [{ write: 'a.md', content: 'a' }])
    await scene.run()
    const lost = join(scene.layout.agentRoot, 'lost.md')
    await scene.atRest(async execution => {
      writeFileSync(lost, 'a look that no checkpoint kept')
      await execution.diff({ from: 'a' })
      writeFileSync(lost, 'another look')
      await execution.diff({ from: 'a' })
    })
    const objects = () => inStore(scene, store => store.size()).then(({ loose }) => loose)
    await tidyExecution(options(scene))
    const kept = await objects()
    expect(kept).toBeGreaterThan(0)
    await tidyExecution({ ...options(scene), pruneOlderThanMs: 3_600_000 })
    expect(await objects()).toBe(kept)
    await tidyExecution({ ...options(scene), pruneOlderThanMs: -60_000 })
    expect(await objects()).toBe(0)
    expect(await scene.atRest(execution => execution.diff({ from: 'start', to: 'a' }))).toMatchObject({
      ok: true,
      files: [{ path: 'a.md' }],
    })
  })

  test('is told also for an execution that has not begun, and nothing is made there', async () => {
    const scene = await createScene([keeping('a')], () => [])
    mkdirSync(join(scene.layout.internals, 'removed'), { recursive: true })
    writeFileSync(join(scene.layout.internals, 'removed/x'), '12345')
    const tidied = await tidyExecution(options(scene))
    expect(tidied).toMatchObject({ ok: true, after: { removed: 5, checkpoints: 0, archive: 0 } })
  })
})
