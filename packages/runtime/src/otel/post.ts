import { readFileSync } from 'node:fs'
import { type IncomingMessage, Agent as PlainAgent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { gzipSync } from 'node:zlib'
import { parseKeyPairsIntoRecord } from '@opentelemetry/core'
import { type Clock, messageOf, retryAfterOf } from '../kit/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How a collector is asked, by the standard variables of one signal. */
export interface PostSettings {
  readonly headers: Readonly<Record<string, string>>
  readonly isCompressed: boolean
  /** Milliseconds for one batch, repeated tries included. */
  readonly timeout: number
  readonly certificates: Certificates
}

interface Certificates {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

export type Signal = 'TRACES' | 'METRICS'

/** What is said for the signal wins over what is said for all. Throws when a certificate cannot be read. */
export function postSettings(environment: Environment, signal: Signal): PostSettings {
  const value = (name: string): string | undefined =>
    environment[`OTEL_EXPORTER_OTLP_${signal}_${name}`]?.trim() ||
    environment[`OTEL_EXPORTER_OTLP_${name}`]?.trim() ||
    undefined
  const file = (name: string): Buffer | undefined => {
    const path = value(name)
    return path === undefined ? undefined : readFileSync(path)
  }
  const [ca, cert, key] = [file('CERTIFICATE'), file('CLIENT_CERTIFICATE'), file('CLIENT_KEY')]
  const timeout = Number(value('TIMEOUT') ?? Number.NaN)
  return {
    headers: {
      ...parseKeyPairsIntoRecord(environment['OTEL_EXPORTER_OTLP_HEADERS']),
      ...parseKeyPairsIntoRecord(environment[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    isCompressed: value('COMPRESSION')?.toLowerCase() === 'gzip',
    timeout: timeout > 0 ? timeout : 10_000,
    certificates: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  }
}

export type Answer =
  | { readonly ok: true; readonly body: Buffer }
  | {
      readonly ok: false
      readonly status?: number
      readonly message: string
      /** Another time it may work. */
      readonly retriable: boolean
    }

export interface PostOptions {
  readonly url: string
  readonly contentType: string
  readonly settings: PostSettings
  readonly userAgent: string
  readonly clock: Clock
}

/** Sends bodies to one address, again after a refusal that may pass, until the time for a batch is up. */
export function createPoster({ url, contentType, settings, userAgent, clock }: PostOptions) {
  const isSecure = url.startsWith('https:')
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, ...settings.certificates })
    : new PlainAgent({ keepAlive: true })
  const headers = {
    'user-agent': userAgent,
    ...settings.headers,
    'content-type': contentType,
    ...(settings.isCompressed && { 'content-encoding': 'gzip' }),
  }

  const once = async (body: Uint8Array, signal: AbortSignal): Promise<Tried> => {
    const { request } = isSecure ? await import('node:https') : await import('node:http')
    return new Promise(resolve => {
      const unreachable = (error: unknown): void =>
        resolve({ ok: false, message: messageOf(error), retriable: true })
      const sent = request(
        url,
        { method: 'POST', headers: { ...headers, 'content-length': body.length }, agent, signal },
        response => void readAnswer(response, clock).then(resolve, unreachable),
      )
      sent.on('error', unreachable)
      sent.end(body)
    })
  }

  return {
    /** Never rejects; ends soon after an abort. */
    async post(plain: Uint8Array, outer?: AbortSignal): Promise<Answer> {
      const body = settings.isCompressed ? gzipSync(plain) : plain
      const until = clock.monotonic() + settings.timeout
      const deadline = AbortSignal.timeout(settings.timeout)
      const signal = outer ? AbortSignal.any([outer, deadline]) : deadline
      for (let tries = 0; ; tries++) {
        const answer = await once(body, signal)
        const wait = answer.ok ? 0 : (answer.retryAfter ?? Math.min(5_000, 1_000 * 1.5 ** tries))
        const isOver = signal.aborted || clock.monotonic() + wait > until
        if (answer.ok || !answer.retriable || isOver) return withoutWait(answer, deadline, settings.timeout)
        await clock.sleep(wait, signal).catch(() => undefined)
      }
    },
    close: (): void => agent.destroy(),
  }
}

type Tried = Answer & { readonly retryAfter?: number | undefined }

function withoutWait(answer: Tried, deadline: AbortSignal, timeout: number): Answer {
  if (answer.ok || answer.status !== undefined || !deadline.aborted) return answer
  return { ...answer, message: `no answer within ${timeout / 1000} s` }
}

const longestAnswer = 64 * 1024
const mayPass: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

async function readAnswer(response: IncomingMessage, clock: Clock): Promise<Tried> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= longestAnswer) parts.push(part)
  }
  const body = Buffer.concat(parts)
  const { statusCode: status = 0, statusMessage = '' } = response
  if (status >= 200 && status < 300) return { ok: true, body }
  const header = (name: string): string | undefined => [response.headers[name]].flat()[0]
  const words = body
    .toString('utf8')
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 300)
  return {
    ok: false,
    status,
    message: words || statusMessage || 'without a word',
    retriable: mayPass.has(status),
    retryAfter: retryAfterOf(header, clock.now()),
  }
}
