import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { noted } from '../support/fleet-judge.ts'
import { figuresOf, metricsPort } from '../support/fleet-metrics.ts'
import { codon } from '../support/hank-folder.ts'
import { otlpCollector } from '../support/otlp-collector.ts'

let at: FleetHome
const longest = 120_000

beforeAll(async () => {
  at = await fleetHome()
}, 120_000)

afterAll(() => at.close(), 60_000)

interface OtlpPoint {
  readonly attributes: readonly { readonly value: { readonly stringValue: string } }[]
  readonly asDouble?: number
  readonly count: number
  readonly bucketCounts: readonly number[]
  readonly explicitBounds: readonly number[]
}

interface OtlpMetric {
  readonly name: string
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] }
  readonly sum?: { readonly dataPoints: readonly OtlpPoint[] }
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] }
}

/** Attributes of the resource, and the metrics by name. */
function readMetrics(body: Buffer | undefined) {
  const { resourceMetrics = [] } = JSON.parse(body?.toString('utf8') ?? '{}') as {
    readonly resourceMetrics?: readonly {
      readonly resource: { readonly attributes: readonly { key: string; value: { stringValue: string } }[] }
      readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[]
    }[]
  }
  const [first] = resourceMetrics
  const metrics = first?.scopeMetrics.flatMap(each => each.metrics) ?? []
  return {
    resource: Object.fromEntries(
      first?.resource.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [],
    ),
    metrics: Object.fromEntries(metrics.map(metric => [metric.name, metric])),
  }
}

/** The status that a request with these headers gets. */
function statusOf(port: number, headers: object, { method = 'GET', path = '/metrics' } = {}) {
  return new Promise<number | undefined>((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers: { ...headers }, setHost: false },
      answer => {
        answer.resume()
        resolve(answer.statusCode)
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

describe('the figures of a worker', () => {
  verifies(
    ['fleet/metrics', 'leash/frozen'],
    'say how it and the fleet stand, and how it stands still while the engine is away',
    async () => {
      const hank = at.place([codon('a', noted('a')), codon('b', noted('b', { waits: true }))], ['fig', 'oak'])
      await at.submitted(hank)
      const worker = at.worker(hank, ['--slots', '1', '--metrics', '0'])
      const port = await metricsPort(worker)
      await vi.waitFor(() => expect(at.ran('fig')).toBe('ab'), { timeout: 60_000 })
      await at.query("insert into fleet.throttle (key, refusals) values ('anthropic', 3)")
      const found = await vi.waitFor(
        async () => {
          const figures = await figuresOf(port)
          expect(figures['refusals_total{provider="anthropic"}']).toBe(3)
          return figures
        },
        { timeout: 10_000, interval: 500 },
      )
      expect(found).toMatchObject({
        engine_up: 1,
        slots: 1,
        slots_busy: 1,
        frozen: 0,
        turns_total: 1,
        takeovers_total: 0,
        publish_seconds_count: 1,
        parcel_bytes_count: 1,
        'executions{state="queued"}': 1,
        'executions{state="running"}': 1,
        'executions{state="dead"}': 0,
        granted_dollars: 0,
        spent_dollars: 0,
        doubt_dollars: 0,
        'blocked_seconds{provider="anthropic"}': 0,
      })
      expect(found['queue_age_seconds']).toBeGreaterThan(0)
      expect(found['parcel_bytes_sum']).toBeGreaterThan(1_000)
      await at.killEngine()
      await vi.waitFor(
        async () => {
          const away = await figuresOf(port)
          expect(away).toMatchObject({ engine_up: 0, slots_busy: 1, frozen: 1 })
          expect(Object.keys(away).filter(name => name.startsWith('executions'))).toEqual([])
        },
        { timeout: 20_000, interval: 500 },
      )
      await at.reopenEngine()
      for (const name of ['fig', 'oak']) writeFileSync(join(at.home, `go-${name}`), '')
      await vi.waitFor(
        async () => expect(await figuresOf(port)).toMatchObject({ engine_up: 1, frozen: 0, turns_total: 2 }),
        { timeout: 30_000, interval: 100 },
      )
      expect(await worker.kill('SIGTERM'), worker.said()).toBe(0)
    },
    longest,
  )

  verifies(
    ['fleet/metrics-otel'],
    'go to a collector of OpenTelemetry where spans do, and nobody waits for one that is away',
    async () => {
      const collector = await otlpCollector()
      const hank = at.place([codon('a', noted('a'))], ['elm'])
      await at.submitted(hank)
      const on = { WEAVE_RUNTIME_OTEL_ENABLED: 'true', OTEL_SERVICE_NAME: 'night-shift' }
      const sent = { ...collector.env, ...on, OTEL_METRIC_EXPORT_INTERVAL: '100' }
      const worker = at.worker(hank, ['--slots', '1', '--until-idle'], sent)
      expect(await worker.ended, worker.said()).toBe(0)
      expect(collector.metrics().length).toBeGreaterThan(1)
      // The last one is of its end.
      const { resource, metrics } = readMetrics(collector.metrics().at(-1)?.body)
      expect(resource).toMatchObject({ 'service.name': 'night-shift' })
      expect(resource['service.instance.id']).toContain('.')
      expect(metrics).toMatchObject({
        'weave.fleet.engine_up': { gauge: { dataPoints: [{ asDouble: 1 }] } },
        'weave.fleet.turns': {
          sum: {
            isMonotonic: true,
            aggregationTemporality: 2,
            dataPoints: [{ asDouble: expect.any(Number) }],
          },
        },
        'weave.fleet.publish_seconds': {
          unit: 's',
          histogram: { dataPoints: [{ count: expect.any(Number) }] },
        },
      })
      // On a machine under heavy load two turns and five parcels were seen.
      const [turns] = metrics['weave.fleet.turns']?.sum?.dataPoints ?? []
      expect(turns?.asDouble).toBeGreaterThanOrEqual(1)
      const [published] = metrics['weave.fleet.publish_seconds']?.histogram?.dataPoints ?? []
      expect(published?.count).toBeGreaterThanOrEqual(2)
      const [sizes] = metrics['weave.fleet.parcel_bytes']?.histogram?.dataPoints ?? []
      expect(sizes?.bucketCounts).toHaveLength((sizes?.explicitBounds.length ?? 0) + 1)
      expect(sizes?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(sizes?.count)
      const states = metrics['weave.fleet.executions']?.gauge?.dataPoints ?? []
      expect(states.map(({ attributes }) => attributes[0]?.value.stringValue)).toContain('succeeded')

      const away = {
        ...on,
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      }
      const other = at.worker(hank, ['--until-idle'], { ...away, OTEL_METRIC_EXPORT_INTERVAL: '100' })
      expect(await other.ended, other.said()).toBe(0)
      expect(other.said().split('Metrics were not sent').length).toBe(2)
    },
    longest,
  )

  verifies(
    ['fleet/metrics-door'],
    'are for this machine unless an address is named, and never for a web page',
    async () => {
      const hank = at.place([codon('a')], ['x'], { fleet: { metrics: '0' } })
      const near = at.worker(hank, ['--pool', 'nobody'])
      const port = await metricsPort(near)
      const own = { host: `localhost:${port}` }
      expect(await statusOf(port, own)).toBe(200)
      expect(await statusOf(port, own, { path: '/' })).toBe(404)
      expect(await statusOf(port, own, { method: 'POST' })).toBe(405)
      for (const headers of [
        {},
        { host: `worker.example:${port}` },
        { ...own, origin: 'http://page.example' },
        { ...own, 'sec-fetch-site': 'cross-site' },
      ])
        expect(await statusOf(port, headers), JSON.stringify(headers)).toBe(403)
      const far = at.worker(hank, ['--pool', 'nobody', '--metrics', '0.0.0.0:0'])
      const open = await metricsPort(far)
      await far.until('Whoever reaches this address')
      expect(await statusOf(open, { host: `worker.example:${open}` })).toBe(200)
      expect(await statusOf(open, { origin: `http://worker.example:${open}` })).toBe(403)
      expect(await statusOf(open, { 'sec-fetch-site': 'same-origin' })).toBe(403)
      const taken = at.worker(hank, ['--metrics', String(port)])
      expect(await taken.ended).toBe(1)
      expect(taken.said()).toContain('FLEET_METRICS')
      expect((await at.command('worker', '--metrics', 'here')).status).toBe(2)
      for (const worker of [near, far]) expect(await worker.kill('SIGTERM'), worker.said()).toBe(0)
    },
    longest,
  )
})
