import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, vi } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { batchStatus, executionsOf, listWorkers, startWorker, type Worker } from '../src/index.ts'
import { sceneOf } from './scene.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()
const { sql, submitted, worker } = sceneOf(fleet)
const script = fileURLToPath(new URL('./fixtures/turn-at-once.mjs', import.meta.url))
const working: Worker[] = []

/** A worker that takes turns until nothing is left for it, with a program whose codon answers at once. */
async function works(more: { readonly providers?: readonly string[]; readonly version?: string } = {}) {
  const { engine, store, root } = fleet()
  const program = { script, args: [], execArgv: [], environment: process.env }
  const usual = { slots: 1, pools: ['default'], lease: 10, pollMs: 50, maxBarren: 3 }
  const times = { turnMs: 60_000, parkMs: 60_000, freezeMs: 60_000, tailMs: 20_000 }
  const started = await startWorker({
    engine,
    store,
    program,
    root,
    ...usual,
    ...times,
    rest: { limitMB: 512, files: 100_000, exclude: [] },
    isOnce: false,
    providers: ['anthropic'],
    version: '1.4.2',
    untilIdle: true,
    onNote: () => undefined,
    ...more,
  })
  working.push(started)
  return started
}

/** Each test has the fleet for itself. */
afterEach(async () => {
  for (const one of working.splice(0)) {
    one.drain(true)
    await one.done
  }
  await sql("update fleet.batch set state = 'closed'")
  await sql('delete from fleet.worker')
})

afterAll(() => rmSync(fleet().root, { recursive: true, force: true }))

async function stateOf(batch: string): Promise<readonly string[]> {
  return (await executionsOf(fleet().engine, batch)).map(({ state }) => state)
}

async function waitsOf(batch: string): Promise<unknown> {
  return (await batchStatus(fleet().engine, batch)).waits
}

describe('a worker', () => {
  verifies(
    ['fleet/provider-key'],
    'leaves batches to others whose providers it has no key for, and the status says what they wait for',
    async () => {
      const both = await submitted(2, { providers: ['anthropic', 'openai'] })
      const one = await submitted(1, { providers: ['anthropic'] })
      expect(await waitsOf(both)).toEqual({ 'a worker of the pool default': 2 })
      await (await works({ providers: ['anthropic', 'google'] })).done
      expect([await stateOf(both), await stateOf(one)]).toEqual([['queued', 'queued'], ['succeeded']])
      await worker('w')
      expect(await waitsOf(both)).toEqual({})
      await sql("update fleet.worker set providers = '{anthropic}' where id = 'w'")
      expect(await waitsOf(both)).toEqual({ 'provider key openai': 2 })
      const able = await works({ providers: ['openai', 'anthropic'] })
      const shown = await listWorkers(fleet().engine)
      expect(shown.find(({ id }) => id === able.id)?.providers).toEqual(['openai', 'anthropic'])
      await able.done
      expect(await stateOf(both)).toEqual(['succeeded', 'succeeded'])
      expect(await waitsOf(both)).toEqual({})
    },
  )

  verifies(
    ['fleet/versions'],
    'does not go on with what a newer program wrote, nor with a format that it does not know',
    async () => {
      const batch = await submitted(2)
      const other = await submitted(1)
      await sql("update fleet.execution set weave_max = '1.5.0' where id = $1", `${batch}.1`)
      await sql('update fleet.batch set format = 2 where id = $1', other)
      const older = await works({ version: '1.4.9' })
      await vi.waitFor(async () => expect(await stateOf(batch)).toEqual(['queued', 'succeeded']), 10_000)
      // It looks again and again, and leaves it to others each time.
      await expect(Promise.race([older.done, sql('select pg_sleep(1)')])).resolves.toEqual([{ pg_sleep: '' }])
      expect(await executionsOf(fleet().engine, batch)).toMatchObject([{ epoch: 0 }, { epoch: 1 }])
      await (await works({ version: '1.5.7' })).done
      await older.done
      expect(await stateOf(batch)).toEqual(['succeeded', 'succeeded'])
      expect(await stateOf(other)).toEqual(['queued'])
      const rows = await sql('select weave_max from fleet.execution where batch = $1 order by n', batch)
      expect(rows).toEqual([{ weave_max: '1.5.0' }, { weave_max: '1.4.9' }])
    },
  )
})
