import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createRedactor, type Secret } from '../../../src/kit/index.ts'
import {
  type CodonMark,
  claimRecording,
  openReplay,
  openTraffic,
  type TrafficSetup,
} from '../../../src/proxy/index.ts'
import { startedProxy } from '../started-proxy.ts'

export interface TrafficPlace {
  readonly executionDir?: string
  readonly secrets?: readonly Secret[]
  /** May change while requests come. */
  readonly codon?: () => CodonMark
}

const ofDraft = (): CodonMark => ({ codonId: 'draft', attempt: 1 })

/** A proxy that writes to `directory` what passes. `done` says that the recording is whole. */
export async function recordingProxy(upstream: string, directory: string, place: TrafficPlace = {}) {
  const claimed = await claimRecording(directory, { weaveVersion: '0.0.0', unrecorded: [] })
  if (!claimed.ok) throw new Error(claimed.message)
  const failures: string[] = []
  const record = { directory, onFailure: (message: string) => void failures.push(message) }
  const traffic = trafficOf({ record }, place)
  const proxy = await startedProxy(upstream, {
    observe: traffic.observedBy(() => undefined),
    around: traffic.around,
  })
  return { url: proxy.url, failures, done: traffic.close }
}

/** A proxy that answers with what is there. Its upstream is a port at which nobody listens. */
export async function replayingProxy(directory: string, place: TrafficPlace = {}) {
  const opened = await openReplay(directory)
  if (!opened.ok) throw new Error(opened.message)
  const { replay } = opened
  const { transport, refusalOf } = trafficOf({ replay }, place)
  const proxy = await startedProxy('http://127.0.0.1:9', { transport })
  return { url: proxy.url, replay, refusalOf }
}

function trafficOf(
  setup: TrafficSetup,
  { executionDir = '/nowhere/at/all', secrets = [], codon }: TrafficPlace,
) {
  return openTraffic({ ...setup, executionDir, redactor: createRedactor(secrets), codon: codon ?? ofDraft })
}

export type Handler = (body: string, response: ServerResponse, request: IncomingMessage) => void

/** An upstream that answers by a function; closed when the test ends. */
export async function upstreamWith(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => handler(Buffer.concat(parts).toString('utf8'), response, request))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Sent {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** A request to the messages API. */
export async function ask(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const answer = await fetch(`${url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'a-key-of-mine-1234', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** What one says, as the body of a request. */
export function saying(text: string): object {
  return { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: text }] }
}

/** The pieces of an answer as events. */
export function events(pieces: readonly string[]): string {
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  const deltas = pieces.map(text => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  }))
  return [start, ...deltas, { type: 'message_stop' }]
    .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

/** All text of an answer in events. */
export function textOf(stream: string): string {
  return [...stream.matchAll(/^data: (.*)$/gm)]
    .map(([, json = '']) => (JSON.parse(json) as { delta?: { text?: string } }).delta?.text ?? '')
    .join('')
}
