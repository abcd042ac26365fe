import type { Settings } from '../settings/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { SentNote } from './cursor.ts'
import type { EndedSpan } from './span.ts'

/** What the thread that sends spans is given at its start. Its environment is that of the run. */
export interface TracedRun {
  readonly settings: Settings['otel']
  readonly executionId: string
  readonly rehearsal: boolean
  readonly layout: ExecutionLayout
  /** The first event of this start. */
  readonly firstLive: number
  readonly weaveVersion: string
}

type Attributes = EndedSpan['attributes']

export type ToThread =
  /** More was written. */
  | { readonly type: 'more' }
  | { readonly type: 'clean'; readonly id: number; readonly attributes: Attributes }
  /** Send what is left, up to the event with this number, then end. */
  | { readonly type: 'close'; readonly lastSeq: number }

export type FromThread =
  /** To be kept: so far spans were taken. */
  | { readonly type: 'sent'; readonly note: SentNote }
  /** Asks for the same attributes without secrets, which the thread does not know. */
  | { readonly type: 'raw'; readonly id: number; readonly attributes: Attributes }
  | { readonly type: 'log'; readonly level: 'debug' | 'warn'; readonly message: string }
  | { readonly type: 'closed' }
