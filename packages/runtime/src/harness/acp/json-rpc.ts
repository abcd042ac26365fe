import type { Readable, Writable } from 'node:stream'
import { fieldOf, isObject, numberOf, splitLines, textOf } from '../../kit/index.ts'

/** What became of a request. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcError }
  /** The other side has gone. */
  | { readonly ok: false; readonly error?: undefined }

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface RpcOptions {
  readonly input: Readable
  readonly output: Writable
  readonly onNotification: (method: string, params: unknown) => void
  /** What to answer; undefined: there is no such method here. */
  readonly onRequest: (method: string, params: unknown) => unknown
  /** Every message, as it came or goes. Must not throw. */
  readonly onRaw: (message: unknown) => void
  /** A line that is no message: `tooLong` when it was not even read. */
  readonly onGarbage: (what: { readonly tooLong: boolean; readonly text: string }) => void
}

/** The other side of a conversation in JSON-RPC, one message a line. */
export type RpcConnection = ReturnType<typeof connectRpc>

const longestLine = 16 * 1024 * 1024
const noSuchMethod = { code: -32_601, message: 'Method not found' }

export function connectRpc(options: RpcOptions) {
  const { input, output, onNotification, onRequest, onRaw, onGarbage } = options
  const pending = new Map<number, (answer: RpcAnswer) => void>()
  let isClosed = false
  let lastId = 0

  function send(message: object): void {
    const whole = { jsonrpc: '2.0', ...message }
    onRaw(whole)
    if (output.writable) output.write(`${JSON.stringify(whole)}\n`)
  }

  function take(message: unknown): void {
    const method = textOf(fieldOf(message, 'method'))
    const id = fieldOf(message, 'id')
    const params = fieldOf(message, 'params')
    if (method === undefined) settle(message)
    else if (id === undefined || id === null) onNotification(method, params)
    else {
      const result = onRequest(method, params)
      send(result === undefined ? { id, error: noSuchMethod } : { id, result })
    }
  }

  function settle(message: unknown): void {
    const id = numberOf(fieldOf(message, 'id'))
    const resolve = id === undefined ? undefined : pending.get(id)
    if (id === undefined || !resolve) return
    pending.delete(id)
    const error = fieldOf(message, 'error')
    resolve(
      isObject(error)
        ? { ok: false, error: errorOf(error) }
        : { ok: true, result: fieldOf(message, 'result') },
    )
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    for (const resolve of pending.values()) resolve({ ok: false })
    pending.clear()
  }

  readMessages(input, { onRaw, onGarbage, take })
  input.once('close', close)
  input.once('error', close)

  return {
    /** Never rejects. */
    request(method: string, params: object): Promise<RpcAnswer> {
      if (isClosed) return Promise.resolve({ ok: false })
      const id = ++lastId
      const answer = new Promise<RpcAnswer>(resolve => pending.set(id, resolve))
      send({ id, method, params })
      return answer
    },
    notify: (method: string, params: object) => send({ method, params }),
    /** Whoever waits for an answer gets none. */
    close,
  }
}

interface Taker extends Pick<RpcOptions, 'onRaw' | 'onGarbage'> {
  readonly take: (message: unknown) => void
}

function readMessages(input: Readable, { onRaw, onGarbage, take }: Taker): void {
  const splitter = splitLines({ maxLineBytes: longestLine })
  const read = (text: string): void => {
    if (text === '') return
    const message = parsed(text)
    if (!isObject(message)) {
      onGarbage({ tooLong: false, text: text.slice(0, 200) })
      return
    }
    onRaw(message)
    take(message)
  }
  input.on('data', (chunk: Buffer) => {
    for (const { bytes, tooLong } of splitter.push(chunk)) {
      if (tooLong) onGarbage({ tooLong, text: '' })
      else read(bytes.toString('utf8').trim())
    }
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorOf(error: Readonly<Record<string, unknown>>): RpcError {
  const data = error['data']
  return {
    code: numberOf(error['code']) ?? 0,
    message: textOf(error['message']) ?? 'The agent answered with an error.',
    ...(data !== undefined && { data }),
  }
}
