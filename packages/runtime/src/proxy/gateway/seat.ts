import type { TokenCounts } from '@weave/protocol'
import type { Asked } from './asked.ts'

export type GatewayWord =
  | { readonly kind: 'forward' }
  /** Answered with this, and nothing goes out. */
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly message: string
      readonly retryAfterMs?: number | undefined
    }

/** What became of a request that went out. */
export interface GatewayAnswer {
  /** Absent: nothing was said of it. */
  readonly tokens?: TokenCounts | undefined
  /** The tokens are all that it is charged for. */
  readonly isWhole: boolean
  /** It costs nothing: it never got there, or was answered with an error. */
  readonly isFree: boolean
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
}

/** Who decides about every request on its way. */
export interface GatewaySeat {
  /** The request is held until this settles; when its caller leaves, the signal aborts. One that rejects refuses. */
  before(asked: Asked, signal: AbortSignal): Promise<GatewayWord>
  /** Once for each request that was forwarded, when nothing of it is left to come. Must not throw. */
  after(asked: Asked, answer: GatewayAnswer): void
}
