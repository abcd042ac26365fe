import type { ReadErrorCode } from '@weave/protocol'
import type { Refused } from '../kit/index.ts'

export const jsonType = 'application/json; charset=utf-8'

/** What the host asks of its reading thread, and what comes back. Only what can be cloned. */

export interface NamedPlace {
  readonly name: string
  /** The directory of the execution. */
  readonly dir: string
}

/** What stands after the `?` of an address, by name. */
export type Query = Readonly<Record<string, string>>

/** All executions in a directory, or one. */
export type Executions = { readonly base: string } | { readonly only: NamedPlace }

export type Job =
  | { readonly kind: 'executions'; readonly of: Executions }
  | { readonly kind: 'compare'; readonly left: NamedPlace; readonly right: NamedPlace; readonly query: Query }
  | { readonly kind: PlaceJob; readonly place: NamedPlace; readonly query: Query }

export type PlaceJob =
  | 'head'
  | 'events'
  | 'find'
  | 'spans'
  | 'series'
  | 'checkpoints'
  | 'diff'
  | 'file'
  | 'preview'
  | 'costs'
  | 'report'
  | 'sentinels'

/** Those that read next to nothing, and are waited for by a person who scrolls. */
export const littleJobs: ReadonlySet<Job['kind']> = new Set<Job['kind']>(['events', 'executions'])

/** Those that read a whole journal, or run git: few at a time. */
export const dearJobs: ReadonlySet<Job['kind']> = new Set<Job['kind']>([
  'find',
  'spans',
  'series',
  'checkpoints',
  'diff',
  'file',
  'preview',
  'report',
  'sentinels',
  'compare',
])

/**
 * How a thread shares the processor. `polite`: it rests between two stretches and has the lowest priority; `idle`: it also works
 * only while nobody else wants its core, where the system can be told so.
 */
export type Manner = 'free' | 'polite' | 'idle'

export type ToReader =
  | { readonly id: number; readonly job: Job }
  | { readonly id: number; readonly cancel: true }

export type FromReader =
  /** The head of an answer; bytes follow. */
  | { readonly id: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly end: true }
  | { readonly id: number; readonly refused: ReadRefusal }

export interface ReadRefusal {
  readonly code: ReadErrorCode
  readonly message: string
}

/** What a job may answer: a value to be sent as JSON, or what it wrote itself. */
export type Answered = { readonly ok: true; readonly value?: object } | Refused<ReadRefusal>

export interface Sink {
  readonly signal: AbortSignal
  /** Between two stretches of a long reading: who wants little goes first. Rejects when nobody waits for the answer. */
  turn(): Promise<void>
  head(headers: Readonly<Record<string, string>>): void
  write(bytes: Uint8Array): void
}

export function refused(code: ReadErrorCode, message: string): Refused<ReadRefusal> {
  return { ok: false, code, message }
}
