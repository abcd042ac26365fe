import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'

/** The scripted fake of three clouds that sell the models of Anthropic: their addresses and frames before a model server. */
export interface CloudDoor {
  readonly url: string
  /** Whoever asked: by which path, with which login. */
  readonly asked: readonly { readonly path: string; readonly login: string }[]
  close(): Promise<void>
}

interface Wanted {
  readonly model?: string
  readonly isStreamed: boolean
  readonly isFramed: boolean
}

/** What a path asks for; undefined: nothing that is here. */
function wantedBy(path: string): Wanted | undefined {
  const vertex = /\/models\/([^/:]+):(stream)?[rR]awPredict$/.exec(path)
  if (vertex) return { model: vertex[1] ?? '', isStreamed: vertex[2] !== undefined, isFramed: false }
  const bedrock = /^\/model\/([^/]+)\/invoke(-with-response-stream)?$/.exec(path)
  if (bedrock) {
    const isStreamed = bedrock[2] !== undefined
    return { model: decodeURIComponent(bedrock[1] ?? ''), isStreamed, isFramed: isStreamed }
  }
  return path.endsWith('/v1/messages') ? { isStreamed: true, isFramed: false } : undefined
}

export async function openCloudDoor(modelServer: string): Promise<CloudDoor> {
  const asked: { path: string; login: string }[] = []
  const server = createServer((request, response) => void answered(request, response))

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const [path = ''] = (request.url ?? '').split('?')
    const { authorization = '', 'x-api-key': key = '', 'api-key': other = '' } = request.headers
    asked.push({ path, login: [authorization, key, other].join('').replace('Bearer ', '') })
    const wanted = wantedBy(path)
    if (!wanted || request.method !== 'POST') return void response.writeHead(404).end('{}')
    const given = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Readonly<Record<string, unknown>>
    const { model, isStreamed, isFramed } = wanted
    const body = model === undefined ? given : { ...given, model, stream: isStreamed }
    const answer = await fetch(`${modelServer}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'of-the-door',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    const type = isFramed ? 'application/vnd.amazon.eventstream' : (answer.headers.get('content-type') ?? '')
    response.writeHead(answer.status, { 'content-type': type })
    response.end(isFramed ? Buffer.concat(framesOf(text)) : text)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Server-sent events as Amazon frames them: lengths, headers, and a sum over each. */
function framesOf(text: string): readonly Buffer[] {
  return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => {
    const bytes = Buffer.from(data).toString('base64')
    const headers = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' }
    return frame(headers, JSON.stringify({ bytes }))
  })
}

function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const size = Buffer.alloc(2)
      size.writeUInt16BE(value.length)
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        size,
        Buffer.from(value),
      ])
    }),
  )
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + head.length + payload.length, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const all = Buffer.concat([prelude, head, Buffer.from(payload)])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(all))
  return Buffer.concat([all, sum])
}
