import type { Notice, NoticeBody } from './notice.ts'

/** One way to tell somebody. Never rejects. */
export interface Channel {
  /** For messages; without secrets. */
  readonly name: string
  readonly deliver: (notice: Pick<Notice, 'id'>, body: NoticeBody, signal: AbortSignal) => Promise<Delivered>
}

export type Delivered =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly message: string
      /** Another time it may work. */
      readonly retriable: boolean
    }

export type OpenedChannel =
  | { readonly ok: true; readonly channel: Channel }
  /** Why it cannot be used, and what to do. */
  | { readonly ok: false; readonly name: string; readonly message: string }
