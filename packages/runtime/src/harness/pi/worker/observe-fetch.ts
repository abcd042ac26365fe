import {
  type Clock,
  errorCode,
  retryAfterOf as fromHeaders,
  messageOf,
  splitLines,
} from '../../../kit/index.ts'
import type { DialectQuirks } from './dialect-quirks.ts'

/** What became of one call to the provider. The SDK keeps only a sentence of it. */
export interface ProviderCall {
  readonly status?: number
  /** Of an error, cut. */
  readonly body?: string
  readonly retryAfterMs?: number | undefined
  readonly unreachable?: string
  /** A streamed answer came to its end. */
  readonly isWhole: boolean
  readonly isRefusal: boolean
}

export type FetchObserver = ReturnType<typeof observeFetch>

interface ObserveOptions {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  /** For every piece of a streamed answer. Must not throw. */
  readonly onBytes: () => void
  readonly quirks: DialectQuirks | undefined
}

const bodyKept = 16_000

/** Looks over the shoulder of everything in this process that asks over HTTP, and mends what the SDK would misread. */
export function observeFetch({ fetch, clock, onBytes, quirks }: ObserveOptions) {
  let call: ProviderCall | undefined

  async function observed(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    try {
      const response = await fetch(input, init)
      if (response.status === 200 && response.body) return watched(response, response.body)
      call = { ...(await errorOf(response, clock)), isWhole: true, isRefusal: false }
      return response
    } catch (error) {
      call = { unreachable: reasonOf(error), isWhole: false, isRefusal: false }
      throw error
    }
  }

  function watched(response: Response, body: ReadableStream<Uint8Array>): Response {
    const { status, statusText, headers } = response
    let seen: ProviderCall = { status, isWhole: quirks === undefined, isRefusal: false }
    call = seen
    const onSeen: WatchOptions['onSeen'] = what => {
      seen = { ...seen, ...what }
      call = seen
    }
    const watcher = watchStream({ quirks, onBytes, onSeen })
    return new Response(body.pipeThrough(watcher), { status, statusText, headers })
  }

  return {
    fetch: observed,
    /** The latest call since the last `take`. */
    take(): ProviderCall | undefined {
      const last = call
      call = undefined
      return last
    },
  }
}

async function errorOf(response: Response, clock: Clock) {
  const copy: ReadableStream<Uint8Array> | null = response.clone().body
  const body = copy === null ? '' : await beginningOf(copy).catch(() => '')
  return { status: response.status, body, retryAfterMs: retryAfterOf(response.headers, body, clock) }
}

async function beginningOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += decoder.decode(read.value, { stream: true })
    if (text.length > bodyKept) break
  }
  // Not awaited: that takes until the other copy is read, which begins when we are done.
  void reader.cancel().catch(() => undefined)
  return text.slice(0, bodyKept)
}

/** Node says "fetch failed" and hides why behind it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = errorCode(cause) ?? errorCode(error)
  const text = cause instanceof Error ? cause.message : messageOf(error)
  return code === undefined || text.includes(code) ? text : `${text} (${code})`
}

/** As headers or, from Google, in the body of its refusal. */
export function retryAfterOf(
  headers: Pick<Headers, 'get'>,
  body: string,
  clock: { now(): Date },
): number | undefined {
  const asked = fromHeaders(name => headers.get(name), clock.now())
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return asked ?? (seconds === undefined ? undefined : Number(seconds) * 1000)
}

interface WatchOptions extends Pick<ObserveOptions, 'quirks' | 'onBytes'> {
  readonly onSeen: (what: { readonly isWhole?: true; readonly isRefusal?: true }) => void
}

/** Hands a streamed answer on; where a dialect has quirks, line by line. */
export function watchStream(options: WatchOptions): TransformStream<Uint8Array, Uint8Array> {
  const { quirks, onBytes, onSeen } = options
  const splitter = splitLines()

  /** As Latin-1, every byte is one character and comes out as it went in. */
  function mended(bytes: Buffer, { isEnding, isRefusal, mend }: DialectQuirks): Buffer {
    const line = bytes.toString('latin1')
    if (isEnding(line)) onSeen({ isWhole: true })
    if (isRefusal(line)) onSeen({ isRefusal: true })
    return Buffer.from(mend(line), 'latin1')
  }

  return new TransformStream({
    transform(chunk, controller) {
      onBytes()
      if (!quirks) return controller.enqueue(chunk)
      const lines = splitter
        .push(Buffer.from(chunk))
        .flatMap(({ bytes }) => [mended(bytes, quirks), lineFeed])
      if (lines.length > 0) controller.enqueue(Buffer.concat(lines))
    },
    flush(controller) {
      if (!quirks) return
      for (const { bytes } of splitter.end()) controller.enqueue(mended(bytes, quirks))
    },
  })
}

const lineFeed = Buffer.from('\n')
