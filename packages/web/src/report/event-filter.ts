import type { ReportEvents } from '@weave/protocol'

export interface EventFilter {
  /** Words that must all be there, in any order; upper and lower case are alike. */
  readonly words: string
  /** Empty: all. */
  readonly type: string
  readonly codon: string
  /** Also events that only programs care about. */
  readonly all: boolean
}

/** Events for programs; a person who reads along needs none of them. */
const forPrograms: ReadonlySet<string> = new Set([
  'state.transition',
  'state.snapshot',
  'filetree.updated',
  'preflight.result',
  'server.idle',
])

/** The positions of the events that fit, oldest first. */
export function fittingEvents(events: ReportEvents, filter: EventFilter): readonly number[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean)
  const types = events.types.map(type => typeFits(type, filter))
  const codons = events.codons.map(codon => filter.codon === '' || codon === filter.codon)
  const found: number[] = []
  for (const [at, line] of events.line.entries()) {
    if (types[events.type[at] ?? -1] !== true) continue
    if (filter.codon !== '' && codons[events.codon[at] ?? -1] !== true) continue
    if (words.length === 0 || wordsFit(events, { at, line, words })) found.push(at)
  }
  return found
}

function typeFits(type: string, filter: EventFilter): boolean {
  if (filter.type !== '') return type === filter.type
  return filter.all || !forPrograms.has(type)
}

function wordsFit(
  events: ReportEvents,
  { at, line, words }: { readonly at: number; readonly line: string; readonly words: readonly string[] },
): boolean {
  const more = events.more[String(events.seq[at])] ?? ''
  const type = events.types[events.type[at] ?? -1] ?? ''
  const text = `${line} ${type} ${more}`.toLowerCase()
  return words.every(word => text.includes(word))
}
