import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { batchPicture, type Fleet, fleetPicture, openFleet, openLookout } from '../src/index.ts'
import { sceneOf } from './scene.ts'

verifies(
  ['page/fleet-rests'],
  'who looks starts no engine, changes nothing, and leaves tables of another schema alone',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'weave-look-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const lookout = openLookout({ home })
    onTestFinished(() => lookout.close())
    expect(await lookout.look(fleetPicture)).toBeUndefined()
    expect(readdirSync(home)).toEqual([])

    const fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: true })
    onTestFinished(() => drop(fleet))
    const scene = sceneOf(() => fleet)
    const batch = await scene.submitted(4)
    await scene.worker('w')
    const [first = '', second = '', third = ''] = [
      await scene.claim('w'),
      await scene.claim('w'),
      await scene.claim('w'),
    ]
    await scene.end(first)
    await scene.end(second, 'failed', 'no luck')
    await scene.end(third, 'failed', 'no luck')
    const seen = await lookout.look(fleetPicture)
    expect(seen?.batches[0]).toMatchObject({ id: batch, counts: { queued: 1, succeeded: 1, failed: 2 } })
    expect(seen?.workers).toMatchObject([{ id: 'w', slots: 8, busy: 0 }])
    const page = await lookout.look(tables =>
      batchPicture(tables, { batch, state: 'failed', after: 0, most: 1 }),
    )
    expect(page).toMatchObject({ executions: [{ id: second, starts: 1 }], left: 1 })
    expect(page?.failures).toMatchObject([{ reason: 'no luck', count: 2, executions: [second, third] }])

    const write = lookout.look(({ database }) => database.query("update fleet.batch set name = 'other'"))
    await expect(write).rejects.toThrow('read-only transaction')
    await scene.sql("update fleet.meta set value = '99' where key = 'schema'")
    expect((await lookout.look(fleetPicture))?.workers).toHaveLength(1)
    await scene.sql("update fleet.meta set value = '99 x 9.9.9' where key = 'functions'")
    await expect(lookout.look(fleetPicture)).rejects.toMatchObject({ code: 'FLEET_VERSION' })
    await scene.sql("update fleet.meta set value = '1 x 0.0.0' where key = 'functions'")
    await scene.sql("update fleet.meta set value = '1' where key = 'schema'")
    await expect(lookout.look(fleetPicture)).rejects.toMatchObject({ code: 'FLEET_SCHEMA' })
  },
  60_000,
)

async function drop(fleet: Fleet): Promise<void> {
  const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
  await fleet.close()
  rmSync(dirname(row?.data_directory ?? ''), { recursive: true, force: true })
}
