import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from './loopback.ts'

/** A span as OTLP writes it in JSON. */
export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes?: readonly OtlpAttribute[]
  readonly links?: readonly { readonly spanId: string; readonly attributes?: readonly OtlpAttribute[] }[]
  readonly events?: readonly { readonly name: string }[]
  readonly status?: { readonly code?: number | string }
}

interface OtlpAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number | boolean>>
}

export interface OtlpRequest {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly { readonly schemaUrl?: string; readonly spans: readonly OtlpSpan[] }[]
  }[]
}

export interface OtlpPost {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

type Answers = (response: ServerResponse, post: OtlpPost) => void

const takesAll: Answers = response => {
  response.setHeader('content-type', 'application/json')
  response.end('{}')
}

/** A collector that keeps what it is sent, and answers as it is told to. */
export async function otlpCollector(answers: Answers = takesAll) {
  const posts: OtlpPost[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const sent = Buffer.concat(parts)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      const post = { url: request.url ?? '', headers: request.headers, body }
      posts.push(post)
      answers(response, post)
    })
  })
  const endpoint = `http://127.0.0.1:${await listenOnLoopback(server)}`
  onTestFinished(() => server.closeAllConnections())
  const of = (path: string) => posts.filter(({ url }) => url === path)
  return {
    posts,
    endpoint,
    /** For a command that sends JSON, which can be read here. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    traces: (): readonly OtlpPost[] => of('/v1/traces'),
    metrics: (): readonly OtlpPost[] => of('/v1/metrics'),
    spans: (): readonly OtlpSpan[] =>
      of('/v1/traces').flatMap(({ body }) => spansOf(JSON.parse(body.toString('utf8')) as OtlpRequest)),
  }
}

export function spansOf({ resourceSpans = [] }: OtlpRequest): readonly OtlpSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

/** The spans of a file that `weave export` wrote. */
export function spansIn(text: string): readonly OtlpSpan[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .flatMap(line => spansOf(JSON.parse(line) as OtlpRequest))
}

export function attributesOf(
  span: OtlpSpan,
): Readonly<Record<string, string | number | boolean | undefined>> {
  return Object.fromEntries((span.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))
}
