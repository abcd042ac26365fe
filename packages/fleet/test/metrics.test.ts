import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { createCounter, createFigureReader, metricsAddress, pageOf, seriesOf } from '../src/metrics/index.ts'
import { sceneOf } from './scene.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()
const { sql, submitted, worker, claim } = sceneOf(fleet)

describe('the figures of a fleet', () => {
  verifies(['fleet/metrics'], 'are those of its tables', async () => {
    await worker('w')
    const batch = await submitted(3)
    await submitted(1, { notBefore: new Date(Date.now() + 3_600_000) })
    await sql(
      "update fleet.execution set queued = clock_timestamp() - interval '1 hour' where batch = $1 and n < 3",
      batch,
    )
    await claim('w', batch)
    await sql(
      'update fleet.batch set budget = 9e6, spent = 1500000, granted = 250000, doubt = 1 where id = $1',
      batch,
    )
    await sql(
      "insert into fleet.throttle (key, refusals, blocked_until) values ('a/m', 2, clock_timestamp() + interval '1 minute')",
    )
    const found = await createFigureReader(fleet().engine.database)()
    expect(found).toMatchObject({
      executions: { queued: 3, running: 1 },
      grantedDollars: 0.25,
      spentDollars: 1.5,
      doubtDollars: 0.000001,
      providers: [{ key: 'a/m', refusals: 2 }],
    })
    expect(Math.round((found?.queueAgeSeconds ?? 0) / 10)).toBe(360)
    expect(found?.providers[0]?.blockedSeconds).toBeGreaterThan(50)
    // One that is queued again waits from then on.
    await sql("update fleet.execution set state = 'failed' where batch = $1", batch)
    await sql("update fleet.execution set state = 'queued' where batch = $1", batch)
    expect((await createFigureReader(fleet().engine.database)())?.queueAgeSeconds).toBeLessThan(60)
    await sql("update fleet.batch set state = 'paused'")
    expect((await createFigureReader(fleet().engine.database)())?.queueAgeSeconds).toBe(0)
  })

  verifies(['fleet/metrics'], 'tell a turn that took over from one that began', async () => {
    await worker('v')
    const batch = await submitted(1)
    const id = (await claim('v', batch)) ?? ''
    const claimed = () => sql('select taken_over, epoch::int from fleet.execution where id = $1', id)
    expect(await claimed()).toEqual([{ taken_over: false, epoch: 1 }])
    await sql("select fleet.claim($1, 'v', gen_random_uuid(), 3)", id)
    expect(await claimed()).toEqual([{ taken_over: true, epoch: 2 }])
    await sql("select fleet.give_back($1, 2, 'drained')", id)
    await sql("select fleet.claim($1, 'v', gen_random_uuid(), 3)", id)
    expect(await claimed()).toEqual([{ taken_over: false, epoch: 3 }])
    const events = await sql("select data from fleet.event where execution = $1 and type = 'claimed'", id)
    expect(events).toEqual([{ data: null }, { data: { from: 'v' } }, { data: null }])
  })

  verifies(['fleet/metrics-cost'], 'are asked for once in five seconds, and once at a time', async () => {
    const clock = createTestClock()
    let asked = 0
    let answer: (rows: readonly object[]) => void = () => undefined
    const query = <Row extends object>() => {
      asked++
      return new Promise<readonly Row[]>(resolve => {
        answer = rows => resolve(rows as readonly Row[])
      })
    }
    const read = createFigureReader({ query }, clock)
    const many = Promise.all(Array.from({ length: 50 }, read))
    answer([{ figures: { executions: {} } }])
    expect(new Set(await many).size).toBe(1)
    await clock.advance(4_900)
    expect(await read()).toEqual({ executions: {} })
    expect(asked).toBe(1)
    await clock.advance(200)
    const hanging = read()
    await clock.advance(2_100)
    expect(await hanging).toBeUndefined()
    await clock.advance(60_000)
    const still = read()
    await clock.advance(2_100)
    expect(await still).toBeUndefined()
    expect(asked).toBe(2)
  })
})

describe('the page of figures', () => {
  verifies(['fleet/metrics'], 'counts up to each border, and escapes what names have', () => {
    const counter = createCounter()
    counter.published({ ms: 200, bytes: 20_000 })
    counter.published({ ms: 20_000, bytes: 0 })
    const own = { slots: 2, busy: 0, frozen: 0, tally: counter.read() }
    const money = { grantedDollars: 0, spentDollars: 0, doubtDollars: 0 }
    const providers = [{ key: 'a"b\\c\nd', refusals: 1, blockedSeconds: 0.5 }]
    const page = pageOf(seriesOf(own, { executions: {}, queueAgeSeconds: 0, providers, ...money }))
    for (const line of [
      '# TYPE weave_fleet_publish_seconds histogram',
      'weave_fleet_publish_seconds_bucket{le="0.1"} 0',
      'weave_fleet_publish_seconds_bucket{le="0.25"} 1',
      'weave_fleet_publish_seconds_bucket{le="30"} 2',
      'weave_fleet_publish_seconds_bucket{le="+Inf"} 2',
      'weave_fleet_publish_seconds_sum 20.2',
      'weave_fleet_parcel_bytes_count 1',
      'weave_fleet_refusals_total{provider="a\\"b\\\\c\\nd"} 1',
      'weave_fleet_executions{state="dead"} 0',
    ])
      expect(page.split('\n')).toContain(line)
    expect(page.endsWith('\n')).toBe(true)
  })

  verifies(['fleet/metrics-door'], 'is at a port of this machine, or where it is named', () => {
    const near = { port: 9464 }
    for (const text of ['9464', 'localhost:9464', '127.0.0.1:9464', '[::1]:9464'])
      expect(metricsAddress(text), text).toEqual(near)
    expect(metricsAddress('0.0.0.0:80')).toEqual({ host: '0.0.0.0', port: 80 })
    expect(metricsAddress('[::]:80')).toEqual({ host: '::', port: 80 })
    expect(metricsAddress('worker-1.lan:80')).toEqual({ host: 'worker-1.lan', port: 80 })
    for (const text of ['', 'here', ':80', '::80', '1.2.3.4', '70000', 'a b:80', '[a]:80'])
      expect(metricsAddress(text), text).toBeUndefined()
  })
})
