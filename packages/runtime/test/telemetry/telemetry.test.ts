import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { createTelemetry, createUsageCount, type PayloadFacts } from '../../src/telemetry/index.ts'
import { telemetryPayload } from '../../src/telemetry/payload.ts'
import type { TelemetryOptions } from '../../src/telemetry/telemetry.ts'

const facts: PayloadFacts = {
  weaveVersion: '0.10.0',
  node: '20.19',
  platform: 'linux',
  arch: 'x64',
  isRehearsal: false,
  isResumed: false,
  codons: 3,
  loops: 1,
  sentinels: 0,
  harnesses: ['sdk'],
  providers: ['anthropic'],
}

const nothing = createUsageCount().read()

/** A server on loopback that keeps what it is sent. */
async function receiver(answer: (response: ServerResponse) => void = response => void response.end('ok')) {
  const bodies: string[] = []
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      bodies.push(body)
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { bodies, requests, endpoint: `http://127.0.0.1:${port}/in` }
}

async function place(settings: Partial<TelemetryOptions['settings']>, more: Partial<TelemetryOptions> = {}) {
  const debugFile = join(await tempDir({ inMemory: true }), 'home/.weave/telemetry-debug.jsonl')
  const printed: string[] = []
  const telemetry = createTelemetry({
    settings: { enabled: true, debug: false, endpoint: undefined, ...settings },
    facts,
    clock: systemClock,
    redactor: createRedactor([]),
    debugFile,
    print: line => void printed.push(line),
    ...more,
  })
  return { telemetry, printed, debugFile }
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

describe('telemetry', () => {
  test('sends two payloads of one start to the address, and nothing but what the table lists', async () => {
    const { bodies, requests, endpoint } = await receiver()
    const { telemetry, printed, debugFile } = await place({ endpoint })
    telemetry.started()
    telemetry.ended('completed', { ...nothing, codonsEnded: 3 })
    await telemetry.close()
    const payloads = bodies.map(body => telemetryPayload.parse(JSON.parse(body)))
    expect(payloads.map(({ event }) => event).sort()).toEqual(['run-ended', 'run-started'])
    expect(new Set(payloads.map(({ session }) => session)).size).toBe(1)
    expect(payloads.find(({ event }) => event === 'run-ended')).toMatchObject({ ...facts, codonsEnded: 3 })
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /in', 'POST /in'])
    const headers = new Set(requests.flatMap(request => Object.keys(request.headers)))
    expect([...headers].sort()).toEqual(['connection', 'content-length', 'content-type', 'host'])
    expect(printed).toEqual([])
    expect(await exists(debugFile)).toBe(false)
  })

  verifies(
    ['2.8/telemetry-debug-console', '2.8/telemetry-debug-file'],
    'prints payloads and writes them to a private file when it is asked to, also when nothing is sent',
    async () => {
      const { telemetry, printed, debugFile } = await place({ debug: true })
      telemetry.started()
      await telemetry.close()
      telemetry.ended('failed', nothing)
      await telemetry.close()
      const lines = (await readFile(debugFile, 'utf8')).trimEnd().split('\n')
      expect(lines.map(line => telemetryPayload.parse(JSON.parse(line)).event)).toEqual([
        'run-started',
        'run-ended',
      ])
      expect(printed).toEqual(
        lines.map(line => `telemetry (not sent: there is no telemetry.endpoint): ${line}`),
      )
      expect((await stat(debugFile)).mode & 0o777).toBe(0o600)
    },
  )

  test('does nothing at all when it is off', async () => {
    const { bodies, endpoint } = await receiver()
    const { telemetry, printed, debugFile } = await place({ enabled: false, debug: true, endpoint })
    telemetry.started()
    telemetry.ended('completed', nothing)
    await telemetry.close()
    expect({ bodies, printed, file: await exists(debugFile) }).toEqual({
      bodies: [],
      printed: [],
      file: false,
    })
  })

  test('is not held up by a receiver that never answers, and leaves nothing behind', async () => {
    let heard: () => void = () => undefined
    const asked = new Promise<void>(resolve => {
      heard = resolve
    })
    const { endpoint } = await receiver(() => heard())
    const clock = createTestClock()
    const { telemetry } = await place({ endpoint }, { clock })
    telemetry.ended('completed', nothing)
    await asked
    const closed = telemetry.close()
    await clock.untilSleepers(2)
    await clock.advance(1_000)
    await closed
    expect(clock.sleepers()).toBeLessThanOrEqual(1)
  })

  test('drops what cannot be sent, shown or written', async () => {
    const { telemetry } = await place({ endpoint: 'http://127.0.0.1:1/' })
    telemetry.started()
    await telemetry.close()
    const { telemetry: wrong } = await place({ endpoint: 'no address' })
    wrong.started()
    await wrong.close()
    const file = join(await tempDir({ inMemory: true }), 'file')
    await writeFile(file, '')
    const shown = await place({ debug: true }, { debugFile: join(file, 'debug.jsonl') })
    shown.telemetry.started()
    await shown.telemetry.close()
    expect(shown.printed.at(-1)).toMatch(/^telemetry: .* cannot be written$/)
  })

  verifies(['d12/secret-telemetry'], 'says nothing in which there is a secret', async () => {
    const { bodies, endpoint } = await receiver()
    const redactor = createRedactor([{ name: 'BUILD_TOKEN', value: '0.10.0-topsecret' }])
    const { telemetry, printed } = await place(
      { endpoint, debug: true },
      { redactor, facts: { ...facts, weaveVersion: '0.10.0-topsecret' } },
    )
    telemetry.started()
    await telemetry.close()
    expect([...bodies, ...printed].join()).not.toContain('topsecret')
  })
})
