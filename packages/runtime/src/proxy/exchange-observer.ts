import type { MessagesRequest } from './messages-request.ts'
import type { OutgoingRequest, ResponseHead } from './transport.ts'

/** How an exchange ended: whole; the caller left; no whole answer came; the proxy itself failed. */
export type ExchangeEnding = 'complete' | 'caller-left' | 'upstream-failed' | 'proxy-failed'

/** Hears of one exchange, without a part in it. Must not throw, must not change or keep the buffers' content. */
export interface ExchangeObserver {
  /** The head of the answer, as the upstream sent it. */
  head?(head: ResponseHead): void
  /** A piece of the body, without its framing. */
  data?(bytes: Buffer): void
  /** Once and last. */
  end(ending: ExchangeEnding): void
}

/** Asked when a request goes out; who returns nothing is told nothing. */
export type Observe = (
  request: OutgoingRequest,
  data: MessagesRequest | undefined,
) => ExchangeObserver | undefined
