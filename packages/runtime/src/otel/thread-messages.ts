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
  /** The first event that is told; the thread reads those before it by itself. */
  readonly firstLive: number
  readonly weaveVersion: string
}

type Attributes = EndedSpan['attributes']

export type ToThread =
  /** Events, as the texts in which they travel. */
  | { readonly type: 'events'; readonly texts: readonly string[] }
  | { readonly type: 'clean'; readonly id: number; readonly attributes: Attributes }
  /** Send what is left, then end. */
  | { readonly type: 'close' }

export type FromThread =
  /** To be kept: so far spans were taken. */
  | { readonly type: 'sent'; readonly note: SentNote }
  /** Asks for the same attributes without secrets, which the thread does not know. */
  | { readonly type: 'raw'; readonly id: number; readonly attributes: Attributes }
  | { readonly type: 'log'; readonly level: 'debug' | 'warn'; readonly message: string }
  | { readonly type: 'closed' }
