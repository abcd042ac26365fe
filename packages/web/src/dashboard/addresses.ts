import { isEmptyFilter, type StreamFilter } from './stream-filter.ts'

/** Addresses of the read API. Pure, and small: the first script of the page needs them. */

export function executionAddress(
  name: string,
  part = '',
  parameters: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  const search = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
  return `/api/e/${encodeURIComponent(name)}${part === '' ? '' : `/${part}`}${search}`
}

export interface EventsWish {
  readonly name: string
  readonly filter: StreamFilter
  /** Where to look first; absent: at the end. */
  readonly at: number | undefined
}

/** As many as one answer may hold. */
const mostInAnswer = 500

/** The first question of a list of events: the page of an event, or the end, whose number nobody knows yet. */
export function firstEventsAddress({ name, filter, at }: EventsWish): string {
  if (!isEmptyFilter(filter)) return executionAddress(name, 'events', { after: '0', limit: '1' })
  const limit = String(mostInAnswer)
  const range =
    at === undefined
      ? { before: String(Number.MAX_SAFE_INTEGER), limit }
      : { after: String(Math.floor((at - 1) / mostInAnswer) * mostInAnswer), limit }
  return executionAddress(name, 'events', range)
}

/** Where what a filter lets through is found, behind an event. */
export function findAddress({ name, filter }: EventsWish, after = 0): string {
  return executionAddress(name, 'find', { ...filter, after: after === 0 ? '' : String(after) })
}
