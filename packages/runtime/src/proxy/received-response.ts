import type { Readable } from 'node:stream'
import type { ProxyResponse } from './middleware.ts'
import { headerMap } from './wire/header.ts'
import type { ResponseHead } from './wire/response-head.ts'

/**
 * What came from the upstream. The map of headers and the stream of the body are made for who asks for them. A class,
 * because getters in an object literal are new code for the engine with every object, and cost more than all the rest.
 */
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
