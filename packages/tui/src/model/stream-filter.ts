import type { StreamEntry, StreamKind } from 'weave-client'

/** TABLE of what the stream can be narrowed to, in the order in which the key goes through them. */
export const streamFilters = {
  all: { title: 'all', kinds: undefined },
  agent: { title: 'agent', kinds: ['message', 'thinking', 'codon', 'run'] },
  tools: { title: 'tools', kinds: ['tool', 'result', 'rig'] },
  problems: { title: 'problems', kinds: ['error', 'wait', 'budget', 'rollback'] },
  sentinels: { title: 'sentinels', kinds: ['sentinel'] },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly kinds: readonly StreamKind[] | undefined }>
>

export type StreamFilterName = keyof typeof streamFilters

/** What of the stream is shown. All conditions hold together. */
export interface StreamFilter {
  readonly name: StreamFilterName
  /** Only of these codons, under a name for them. */
  readonly only?: { readonly title: string; readonly codonIds: readonly string[] }
  /** Only of this sentinel. */
  readonly sentinelId?: string
  /** What is searched for; empty: nothing. */
  readonly search: string
  /** Hides what does not match the search. */
  readonly onlyMatches: boolean
}

export const noFilter: StreamFilter = { name: 'all', search: '', onlyMatches: false }

export function nextFilter(name: StreamFilterName): StreamFilterName {
  const names = Object.keys(streamFilters) as StreamFilterName[]
  return names[(names.indexOf(name) + 1) % names.length] ?? 'all'
}

export function isShown(
  entry: StreamEntry,
  filter: StreamFilter,
  isMatch: (entry: StreamEntry) => boolean,
): boolean {
  const kinds: readonly StreamKind[] | undefined = streamFilters[filter.name].kinds
  const fitsKind =
    !kinds || kinds.includes(entry.kind) || (filter.name === 'problems' && entry.failed === true)
  if (!fitsKind || !isOfCodon(entry, filter.only?.codonIds)) return false
  if (
    filter.sentinelId !== undefined &&
    (entry.kind !== 'sentinel' || !isOfSentinel(entry, filter.sentinelId))
  )
    return false
  return !filter.onlyMatches || filter.search === '' || isMatch(entry)
}

/** Case does not count, unless the search has capitals. */
export function matches(text: string, search: string): boolean {
  if (search === '') return false
  const isExact = search !== search.toLowerCase()
  return isExact ? text.includes(search) : text.toLowerCase().includes(search)
}

/** A codon without `#n` stands for all its iterations. */
function isOfCodon({ codonId = '' }: StreamEntry, codonIds: readonly string[] | undefined): boolean {
  return !codonIds || codonIds.includes(codonId) || codonIds.includes(codonId.replace(/#\d+$/, ''))
}

function isOfSentinel({ source, text }: StreamEntry, sentinelId: string): boolean {
  return source === sentinelId || (source === undefined && text.startsWith(`sentinel ${sentinelId} `))
}
