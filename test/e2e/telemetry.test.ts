import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const secret = 'sk-super-secret-value-0123456789'

/** A hank of one codon, with a `weave.json` that says this about telemetry, and a count of connections that were made. */
async function place(telemetry: object) {
  const hank = [codon('only', { promptText: `Say ${secret} twice.` })]
  const at = await hankFolder(
    { meta: { name: 'private-name', version: '1.0.0' }, hank },
    { 'weave.json': { telemetry } },
    { inMemory: true },
  )
  const connections = at.path('connections.txt')
  const note = `require('node:fs').appendFileSync(${JSON.stringify(connections)}, 'x')`
  at.write({
    'spy.cjs': `require('node:diagnostics_channel').subscribe('net.client.socket', () => ${note})`,
  })
  const env = { NODE_OPTIONS: `--require ${at.path('spy.cjs')}`, MY_API_KEY: secret }
  return {
    async weave(more: Readonly<Record<string, string>> = {}) {
      const { ended, said } = await at.with({ ...env, ...more }).startScripted()
      return { status: await ended, said: said() }
    },
    connections: () => (existsSync(connections) ? readFileSync(connections, 'utf8').length : 0),
    debugFile: at.path('home/.weave/telemetry-debug.jsonl'),
  }
}

/** Keeps what it is sent; without `answers` it never replies. */
async function receiver({ answers = true } = {}) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      bodies.push(body)
      if (answers) response.end()
    })
  })
  return { bodies, endpoint: `http://127.0.0.1:${await listenOnLoopback(server)}/` }
}

describe('telemetry of the command', () => {
  verifies(
    ['d12/telemetry-no-address', '2.8/telemetry-debug-console', '2.8/telemetry-debug-file', '6/no-webhooks'],
    'makes no connection without an address, and shows what it would say when it is asked to',
    async () => {
      const quiet = await place({ enabled: true })
      expect(await quiet.weave()).toMatchObject({ status: 0 })
      expect(quiet.connections()).toBe(0)
      expect(existsSync(quiet.debugFile)).toBe(false)

      const shown = await place({ debug: true })
      const { status, said } = await shown.weave()
      expect(status).toBe(0)
      expect(shown.connections()).toBe(0)
      const lines = readFileSync(shown.debugFile, 'utf8').trimEnd().split('\n')
      expect(lines.map(line => (JSON.parse(line) as { readonly event: string }).event)).toEqual([
        'run-started',
        'run-ended',
      ])
      for (const line of lines) expect(said).toContain(line)
    },
    60_000,
  )

  verifies(
    [
      'd12/telemetry-switches',
      '2.8/telemetry-do-not-track',
      '2.8/telemetry-variable',
      '2.8/telemetry-off-in-ci',
    ],
    'sends to a configured address, and obeys every switch that turns it off',
    async () => {
      const { bodies, endpoint } = await receiver()
      const on = await place({ endpoint })
      expect(await on.weave()).toMatchObject({ status: 0 })
      expect(on.connections()).toBe(2)
      expect(bodies).toHaveLength(2)
      expect(JSON.parse(bodies.find(body => body.includes('run-ended')) ?? '')).toMatchObject({
        event: 'run-ended',
        status: 'completed',
        codons: 1,
        codonsEnded: 1,
      })
      for (const word of [secret, 'private-name', 'only', 'sonnet', 'home'])
        expect(bodies.join()).not.toContain(word)

      for (const variable of [{ DO_NOT_TRACK: '1' }, { WEAVE_TELEMETRY: '0' }, { CI: 'true' }]) {
        const off = await place({ endpoint, debug: true, enabled: true })
        expect(await off.weave(variable)).toMatchObject({ status: 0 })
        expect([off.connections(), existsSync(off.debugFile)]).toEqual([0, false])
      }
      const disabled = await place({ endpoint, enabled: false })
      expect(await disabled.weave()).toMatchObject({ status: 0 })
      expect(disabled.connections()).toBe(0)
      expect(bodies).toHaveLength(2)
    },
    120_000,
  )

  test('neither fails nor holds up a run when the receiver never answers or is not there', async () => {
    const { bodies, endpoint } = await receiver({ answers: false })
    const hanging = await place({ endpoint })
    expect(await hanging.weave()).toMatchObject({ status: 0 })
    expect(bodies.length).toBeGreaterThan(0)
    const gone = await place({ endpoint: 'http://127.0.0.1:9/' })
    expect(await gone.weave()).toMatchObject({ status: 0 })
  }, 60_000)
})
