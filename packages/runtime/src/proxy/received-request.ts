import type { MessagesRequest } from './messages-request.ts'
import type { BodilessRequest } from './middleware.ts'
import { headerMap } from './wire/header.ts'
import type { RequestHead } from './wire/request-head.ts'

/** What came from the caller; as with `ReceivedResponse`, the map of headers is made for who asks for it. */
export class ReceivedRequest implements BodilessRequest {
  readonly method: string
  readonly url: string
  readonly messagesRequestData?: MessagesRequest
  readonly #head: RequestHead

  constructor(head: RequestHead, data: MessagesRequest | undefined) {
    this.method = head.method
    this.url = head.target
    this.#head = head
    if (data) this.messagesRequestData = data
  }

  get headers(): Readonly<Record<string, string>> {
    return headerMap(this.#head.headers)
  }
}
