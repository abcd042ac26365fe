import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { Log } from '../kit/index.ts'
import { headerMap } from './headers.ts'
import {
  type BodilessRequest,
  type MessagesRequest,
  type ProxyResponse,
  readMessagesRequest,
} from './middleware.ts'
import { maskedUrl, type RequestHead } from './request-head.ts'
import type { ResponseHead } from './transport.ts'

/** A request as it came from the caller. */
export interface Incoming {
  readonly head: RequestHead
  /** A stream: larger than is read into memory, so forwarded as it is. */
  readonly body: Buffer | Readable | undefined
}

/**
 * What came from the caller. The map of headers is made, and the body parsed, for who asks for it: mostly after the request
 * has gone out. A class, because getters in an object literal are new code for the engine with every object.
 */
export class ReceivedRequest implements BodilessRequest {
  readonly method: string
  readonly url: string
  /** Of a body that is held. */
  readonly text: string | undefined
  readonly #incoming: Incoming
  readonly #log: Log
  #isRead = false
  #data: MessagesRequest | undefined

  constructor(incoming: Incoming, log: Log) {
    const { head, body } = incoming
    this.method = head.method
    this.url = head.target
    this.text = Buffer.isBuffer(body) ? body.toString('utf8') : undefined
    this.#incoming = incoming
    this.#log = log
  }

  get headers(): Readonly<Record<string, string>> {
    return headerMap(this.#incoming.head.headers)
  }

  get messagesRequestData(): MessagesRequest | undefined {
    if (!this.#isRead) {
      this.#isRead = true
      this.#data = this.#readData()
    }
    return this.#data
  }

  #readData(): MessagesRequest | undefined {
    const { body } = this.#incoming
    if (this.text === undefined || !Buffer.isBuffer(body)) return undefined
    const read = isUtf8(body) ? readMessagesRequest(this.text) : { ok: false as const, fault: 'not text' }
    if (read.ok) return read.data
    const line = `${this.method} ${maskedUrl(this.url)}`
    this.#log.debug('LLM-PROXY', `the body of ${line} is no messages request: ${read.fault}`)
    return undefined
  }
}

/** What came from the upstream. The map of headers and the stream of the body are made for who asks for them. */
export class ReceivedResponse implements ProxyResponse {
  readonly status: number
  readonly #head: ResponseHead
  readonly #open: () => Readable
  #body: Readable | undefined

  constructor(head: ResponseHead, open: () => Readable) {
    this.status = head.status
    this.#head = head
    this.#open = open
  }

  get headers(): Readonly<Record<string, string>> {
    return headerMap(this.#head.headers)
  }

  get body(): Readable {
    this.#body ??= this.#open()
    return this.#body
  }
}
