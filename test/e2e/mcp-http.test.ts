import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { basename } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder } from '../support/hank-folder.ts'
import { eras, mcpClient } from '../support/mcp-client.ts'
import { canBeOthers, otherUser, runAs } from '../support/other-user.ts'

/** `weave mcp --http`: the same tools at an address of this machine. */

const longest = 120_000

async function listening(at: HankFolder, ...words: readonly string[]) {
  const server = at.start('mcp', '--http', ...words)
  const said = await server.until(/token .*\n/)
  const [, url = '', port = ''] = /(http:\/\/127\.0\.0\.1:(\d+)\/mcp)/.exec(said) ?? []
  const token = readFileSync(at.path('home/.weave/mcp-token'), 'utf8').trim()
  return { server, said, url, port, token }
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly body?: string
}

function statusOf(port: string, { headers = {}, path = '/mcp', body = '{}' }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      port,
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    }
    const asking = request({ host: '127.0.0.1', ...options }, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

describe('weave mcp --http', () => {
  verifies(
    ['mcp/http', 'mcp/every-tool'],
    'answers clients of every era as it does over standard streams, and tells who listens',
    async () => {
      const at = await hankFolder([codon('one'), codon('two')])
      expect((await at.scripted('--headless')).status).toBe(0)
      const execution = basename(at.execution())
      const http = await listening(at, '--allow', 'steer')
      for (const era of eras) {
        const client = await mcpClient(at, { era, http })
        expect((await client.tools()).map(({ name }) => name)).toContain('rollback')
        const view = await client.call('get_execution', { execution })
        expect(view.structuredContent).toMatchObject({ name: execution, status: 'completed' })
        const text = (await client.read(`weave://executions/${execution}`)).text
        expect(JSON.parse(text ?? '')).toMatchObject({ name: execution })
        expect(await client.prompt('repair-run', { execution })).toContain(execution)
        const refused = await client.call('rollback', { execution, to: 'one' })
        expect(refused.structuredContent.error?.code).toBe('CONFIRMATION_REQUIRED')
        await client.close()
      }
      let asked = 0
      const says = () => {
        asked++
        return 'yes' as const
      }
      const told: string[] = []
      const person = await mcpClient(at, { http, says, onUpdated: uri => told.push(uri) })
      await person.subscribe(`weave://executions/${execution}`)
      const rolled = await person.call('rollback', { execution, to: 'one' })
      expect(rolled.isError ?? false, JSON.stringify(rolled.content)).toBe(false)
      expect(asked).toBe(1)
      await expect.poll(() => told.length, { timeout: 10_000 }).toBeGreaterThan(0)
      await person.close()
      expect(await http.server.kill('SIGTERM')).toBe(0)
    },
    longest,
  )

  verifies(
    ['mcp/http-safe'],
    'lets in who has the token, is of the same user and is no foreign page; nothing large, not too many',
    async () => {
      const at = await hankFolder([codon('one')])
      const { port, token, said, server } = await listening(at)
      expect(said).toContain(token)
      expect(statSync(at.path('home/.weave/mcp-token')).mode & 0o777).toBe(0o600)
      const bearer = { authorization: `Bearer ${token}` }
      const status = (headers: Readonly<Record<string, string>>, more: Asked = {}) =>
        statusOf(port, { ...more, headers })
      expect(await status({})).toBe(401)
      expect(await status({ authorization: `Bearer ${token.slice(0, -1)}x` })).toBe(401)
      expect(await status({ ...bearer, origin: 'https://example.com' })).toBe(403)
      expect(await status({ ...bearer, 'sec-fetch-site': 'cross-site' })).toBe(403)
      expect(await status({ ...bearer, host: 'example.com' })).toBe(403)
      expect(await status({ ...bearer, origin: `http://127.0.0.1:${port}` })).toBe(400)
      expect(await status(bearer)).toBe(400)
      expect(await status(bearer, { path: '/other' })).toBe(404)
      expect(await status(bearer, { body: 'x' })).toBe(400)
      expect(await status(bearer, { body: JSON.stringify({ a: 'x'.repeat(1 << 20) }) })).toBe(413)
      const program = `require('node:http').get({ host: '127.0.0.1', port: ${port}, path: '/mcp', headers: { authorization: 'Bearer ${token}' } }, r => console.log(r.statusCode)).on('error', e => console.log(e.code))`
      // Whoever is root may do everything anyway.
      if (canBeOthers) expect(await runAs(otherUser, program)).toBe('403')
      await server.kill('SIGTERM')

      const second = await listening(at)
      expect(second.token).toBe(token)
      expect(second.said).not.toContain(token)
      await second.server.kill('SIGTERM')
      writeFileSync(at.path('home/.weave/mcp-token'), 'short')
      const third = at.start('mcp', '--http')
      expect(await third.ended).toBe(1)
      expect(third.said()).toContain('Delete it')
      expect(at.weave('mcp', '--http', '99999')).toMatchObject({ status: 2 })
    },
    longest,
  )
})
