import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { noted } from '../support/fleet-judge.ts'
import { figuresOf, metricsPort } from '../support/fleet-metrics.ts'
import { codon } from '../support/hank-folder.ts'

let at: FleetHome
const longest = 120_000

beforeAll(async () => {
  at = await fleetHome()
}, 120_000)

afterAll(() => at.close(), 60_000)

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
