import { type Clock, errorCode } from '../kit/index.ts'
import type { Probe } from './probe.ts'

export type Answer =
  | {
      readonly kind: 'status'
      readonly status: number
      /** The body as JSON; undefined when it is none, or longer than anyone would make it. */
      readonly body: unknown
    }
  | { readonly kind: 'redirect' }
  /** Nothing came that could be understood. `reason` is in our own words, with the code of the system. */
  | { readonly kind: 'silence'; readonly reason: string }

/** Milliseconds before each further try: most overloads of a provider are over by then, and who waits is a person. */
const delays = [500, 1_000, 2_000]
const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529])

/**
 * Asks again when the provider is only busy or out of order for the moment: that must not keep a hank from starting. `onAnswer`
 * hears what came before the last answer. Rejects only when the signal aborts a wait.
 */
export async function askPatiently(
  probe: Probe,
  {
    clock,
    signal,
    onAnswer,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly onAnswer: (answer: Answer) => void },
): Promise<Answer> {
  let answer = await ask(probe, signal)
  for (const delay of delays) {
    onAnswer(answer)
    if (answer.kind !== 'status' || !passing.has(answer.status)) return answer
    await clock.sleep(delay, signal)
    answer = await ask(probe, signal)
  }
  return answer
}

/**
 * Sends one request, once. Never rejects. No redirect is followed, since the key would travel along, and no message of an
 * error is passed on: some quote the header or the address they complain about.
 */
async function ask(probe: Probe, signal: AbortSignal): Promise<Answer> {
  const { url, method, headers, body } = probe
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal,
    })
    return { kind: 'status', status: response.status, body: await bodyOf(response) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    if (cause instanceof Error && cause.message === 'unexpected redirect') return { kind: 'redirect' }
    return { kind: 'silence', reason: reasonOf(errorCode(cause)) }
  }
}

/** Real answers have a few hundred bytes. */
const maxBytes = 64 * 1024

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse((await textOf(response)) ?? '')
  } catch (error) {
    // A refusal is one even when the connection is cut before its text has come.
    if (error instanceof SyntaxError || !response.ok) return undefined
    throw error
  }
}

async function textOf(response: Response): Promise<string | undefined> {
  const stream: AsyncIterable<Uint8Array> | null = response.body
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream ?? []) {
    length += chunk.length
    // Leaving the loop cancels the stream, so that a body without an end is not waited for.
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'its name is not known'],
  ['EAI_AGAIN', 'its name could not be looked up'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was cut'],
  ['UND_ERR_SOCKET', 'the connection was cut'],
  ['EHOSTUNREACH', 'there is no way to it'],
  ['ENETUNREACH', 'there is no network'],
  ['ETIMEDOUT', 'the connection took too long'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection took too long'],
])

function reasonOf(code: string | undefined): string {
  if (code === undefined) return 'the request could not be sent'
  const isTls = /CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)
  const words = reasons.get(code) ?? (isTls ? 'no safe connection (TLS) came about' : 'the connection failed')
  return `${words} (${code})`
}
