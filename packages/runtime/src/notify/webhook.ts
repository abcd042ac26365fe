import { createHmac } from 'node:crypto'
import type { Clock } from '../kit/index.ts'
import { messageOf } from '../kit/index.ts'
import type { WebhookTarget } from './config.ts'
import type { Delivered, OpenedChannel } from './deliver.ts'
import { type NoticeBody, textOf } from './notice.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Milliseconds for one try. */
const longestTry = 10_000

/** A POST to an address, with the headers of Standard Webhooks. Without its secret nothing is sent. */
export function openWebhook(target: WebhookTarget, environment: Environment, clock: Clock): OpenedChannel {
  const { url, secretEnv, format = 'weave', headersEnv = {} } = target
  const name = `webhook ${new URL(url).host}`
  const missing = [secretEnv, ...Object.values(headersEnv)].find(
    variable => variable !== undefined && !environment[variable],
  )
  if (missing !== undefined) return { ok: false, name, message: `the variable ${missing} is not set` }
  const key = secretEnv === undefined ? undefined : keyOf(environment[secretEnv] ?? '')
  if (key?.length === 0)
    return { ok: false, name, message: `${secretEnv} is no secret of a webhook: whsec_ and base64` }
  const own = Object.entries(headersEnv).map(
    ([header, variable]) => [header, environment[variable] ?? ''] as const,
  )
  const deliver = async ({ id }: { readonly id: string }, body: NoticeBody, signal: AbortSignal) => {
    const { text, headers } = formatted(body, format)
    const timestamp = String(Math.floor(clock.now().getTime() / 1000))
    const signed = { id, timestamp, text }
    return post(url, {
      text,
      signal,
      headers: {
        ...headers,
        ...Object.fromEntries<string>(own),
        'user-agent': 'weave',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        ...(key && { 'webhook-signature': signatureOf(signed, key) }),
      },
    })
  }
  return { ok: true, channel: { name, deliver } }
}

/** As libraries for Standard Webhooks read a secret. Empty: it is none. */
function keyOf(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret
  return /^[A-Za-z0-9+/]+=*$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
}

interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly text: string
}

function signatureOf({ id, timestamp, text }: Signed, key: Buffer): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')}`
}

/** For each kind of receiver its own body. Mentions and markup that a name may hold mean nothing there. */
function formatted(body: NoticeBody, format: NonNullable<WebhookTarget['format']>) {
  const json = { 'content-type': 'application/json' }
  const { title, text } = textOf(body)
  if (format === 'slack') {
    const escaped = `*${title}*\n${text}`.replace(/[&<>]/g, sign => escapes[sign] ?? sign)
    return { text: JSON.stringify({ text: escaped }), headers: json }
  }
  if (format === 'discord')
    return {
      text: JSON.stringify({ content: `**${title}**\n${text}`, allowed_mentions: { parse: [] } }),
      headers: json,
    }
  if (format === 'ntfy')
    return { text, headers: { 'content-type': 'text/plain; charset=utf-8', title: headerText(title) } }
  return { text: JSON.stringify(body), headers: json }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Headers are ASCII; ntfy reads the encoding of mail in them. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
}

interface Posting {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

async function post(url: string, { text, headers, signal: outer }: Posting): Promise<Delivered> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const deadline = AbortSignal.timeout(longestTry)
  const signal = AbortSignal.any([outer, deadline])
  return new Promise(resolve => {
    const unreachable = (error: unknown): void => {
      const message = deadline.aborted ? `no answer within ${longestTry / 1000} s` : messageOf(error)
      resolve({ ok: false, message, retriable: true })
    }
    const length = Buffer.byteLength(text)
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      agent: false,
      signal,
    }
    const sent = request(url, options, response => {
      response.resume()
      response.on('error', unreachable)
      response.on('end', () => resolve(answered(response.statusCode ?? 0)))
    })
    sent.on('error', unreachable)
    sent.end(text)
  })
}

function answered(status: number): Delivered {
  if (status >= 200 && status < 300) return { ok: true }
  const isPassing = status === 408 || status === 429 || status >= 500
  const where = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  return { ok: false, message: `it answered ${status}${where}`, retriable: isPassing }
}
