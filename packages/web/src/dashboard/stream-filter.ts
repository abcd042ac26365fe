import { type EventFilter, fitsFilter, type WindowEvent } from 'weave-client'
import type { Parameters } from './routes.ts'

/** What of a journal is shown, as it stands in an address; each part narrows it. */
export interface StreamFilter {
  readonly type?: string
  readonly codon?: string
  readonly text?: string
  readonly failed?: '1'
}

export function filterOf({ q, type, codon, failed }: Parameters): StreamFilter {
  return {
    ...(q === undefined ? {} : { text: q }),
    ...(type === undefined ? {} : { type }),
    ...(codon === undefined ? {} : { codon }),
    ...(failed === undefined ? {} : { failed: '1' as const }),
  }
}

export function isEmptyFilter(filter: StreamFilter): boolean {
  return Object.keys(filter).length === 0
}

/** As a server is told. */
export function eventFilterOf({ type, codon, text, failed }: StreamFilter): EventFilter {
  return {
    ...(type !== undefined && { types: type.split(',') }),
    ...(codon !== undefined && { codon }),
    ...(text !== undefined && { text }),
    ...(failed !== undefined && { failed: true }),
  }
}

/** Whether a live event passes, as the host decides it for the past. */
export function fitsStream(filter: StreamFilter): (event: WindowEvent) => boolean {
  return fitsFilter(eventFilterOf(filter))
}
