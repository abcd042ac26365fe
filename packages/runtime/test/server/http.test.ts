import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { rawUpgrade } from '../../../../test/support/raw-websocket.ts'
import { startTestServer } from './test-server.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

function ask(port: number, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': body.length }
    const asking = request({ port, method, headers, path: '/any/path?with=query' }, response => {
      text(response).then(
        received => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
        reject,
      )
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

verifies(
  ['d5/http-upgrade-required'],
  'plain HTTP without a dashboard is told in JSON to use WebSocket',
  async () => {
    const { port } = await startTestServer()
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await ask(port, method, method === 'GET' ? '' : 'x'.repeat(1_000))
      expect(answer.status).toBe(426)
      expect(answer.headers).toMatchObject({ upgrade: 'websocket', 'content-type': 'application/json' })
      expect(JSON.parse(answer.body)).toEqual({
        error: 'Upgrade Required',
        message: `This port speaks WebSocket: connect to ws://localhost:${port}`,
      })
    }
    expect((await ask(port, 'HEAD')).status).toBe(426)
  },
)

verifies(
  ['d5/http-dashboard'],
  'plain HTTP goes to whoever answers it, after the check of origins; what that one leaves is told to use WebSocket',
  async () => {
    const asked: string[] = []
    const { port } = await startTestServer({
      http(incoming, response) {
        asked.push(incoming.url ?? '')
        if (incoming.method !== 'GET') return false
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a page</p>')
        return true
      },
    })
    expect(await ask(port)).toMatchObject({ status: 200, body: '<p>a page</p>' })
    expect((await ask(port, 'POST')).status).toBe(426)
    const refused = await rawUpgrade({ port, bare: true, headers: [['Host', 'evil.example']] })
    expect(refused.status).toBe(403)
    expect(asked).toEqual(['/any/path?with=query', '/any/path?with=query'])
  },
)

test('a server for other protocols than WebSocket is not here', async () => {
  const { port } = await startTestServer()
  const host = ['Host', `localhost:${port}`] as const
  const other = await rawUpgrade({
    port,
    bare: true,
    headers: [host, ['Connection', 'Upgrade, HTTP2-Settings'], ['Upgrade', 'h2c']],
  })
  expect(other.status).toBe(426)
  const incomplete = await rawUpgrade({
    port,
    bare: true,
    headers: [host, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']],
  })
  expect(incomplete.status).toBe(400)
})

test('bytes that are no HTTP get 400 and the server lives', async () => {
  const { client, port } = await startTestServer()
  for (const target of ['/\u0000', '/ HTTP/9.9 \r\nx', '']) {
    const answer = await rawUpgrade({ port, target }).catch(() => ({ status: 400 }))
    expect(answer.status).toBe(400)
  }
  await client()
})
