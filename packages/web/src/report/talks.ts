import type { ReportEvents } from '@weave/protocol'

export interface Talk {
  /** The runtime id of the codon. */
  readonly codon: string
  readonly startMs: number
  readonly turns: readonly Turn[]
}

export interface Turn {
  readonly kind: 'prompt' | 'agent' | 'tool' | 'result' | 'end'
  readonly text: string
}

/** What was said in each attempt at a codon, in order. A page that lacks old events lacks old talks. */
export function talksOf(events: ReportEvents): readonly Talk[] {
  const tools = new Set(events.tools)
  const kinds = events.types.map(type => kindOfType[type])
  const talks: { codon: string; startMs: number; turns: Turn[] }[] = []
  for (const [at, seq] of events.seq.entries()) {
    const kind = kinds[events.type[at] ?? -1]
    if (kind === undefined) continue
    const codon = events.codons[events.codon[at] ?? -1] ?? ''
    const text = events.more[String(seq)] ?? events.line[at] ?? ''
    if (kind === 'start') talks.push({ codon, startMs: events.startMs + (events.at[at] ?? 0), turns: [] })
    const isTool = kind === 'agent' && tools.has(seq)
    const own = talks.findLast(talk => talk.codon === codon)
    own?.turns.push({ kind: kind === 'start' ? 'prompt' : isTool ? 'tool' : kind, text })
  }
  return talks
}

const kindOfType: Readonly<Record<string, Turn['kind'] | 'start'>> = {
  'codon.started': 'start',
  'codon.extended': 'prompt',
  'assistant.action': 'agent',
  'tool.result': 'result',
  'codon.completed': 'end',
}
