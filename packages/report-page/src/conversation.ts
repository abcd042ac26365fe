import type { ReportEvents } from '@weave/protocol'
import { type Child, element, section, timeText } from './element.ts'
import { counted } from './header.ts'

/** More than this in one part of a conversation is not drawn. */
const mostTurns = 2_000

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

const names = { prompt: 'Prompt', agent: 'Agent', tool: 'Tool', result: 'Result', end: '' } as const

/** Each attempt as a part that is drawn when it is opened. */
export function conversation(events: ReportEvents, dir: string): HTMLElement {
  const talks = talksOf(events)
  const command = `weave journal ${dir} --conversation`
  const whole = element('p', { class: 'quiet' }, ['As a text, uncut: ', element('code', {}, [command])])
  const aside = talks.length > 0 ? 'Prompts, answers, tool calls and results.' : 'Nothing was said yet.'
  return section({ id: 'conversation', title: 'Conversation', aside }, [...talks.map(talkPart), whole])
}

function talkPart({ codon, startMs, turns }: Talk): HTMLElement {
  const part = element('details', { class: 'talk' }, [
    element('summary', {}, [
      element('b', {}, [codon]),
      element('span', { class: 'change' }, [
        counted(turns.filter(({ kind }) => kind === 'agent').length, 'message'),
      ]),
      element('span', { class: 'quiet meta' }, [timeText(startMs)]),
    ]),
  ])
  const draw = (): void => part.append(...turns.slice(0, mostTurns).map(turnPart), rest(turns.length))
  part.addEventListener('toggle', draw, { once: true })
  return part
}

function turnPart({ kind, text }: Turn): HTMLElement {
  const words: readonly Child[] = [
    names[kind] !== '' && element('span', { class: 'quiet' }, [names[kind]]),
    element('pre', {}, [text]),
  ]
  return element('div', { class: 'turn', 'data-kind': kind }, words)
}

function rest(count: number): HTMLElement {
  const more = count - mostTurns
  return element('p', { class: 'quiet' }, [more > 0 ? `${counted(more, 'more turn')} not drawn.` : ''])
}
