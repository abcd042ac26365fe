import type { ReportEvents } from '@weave/protocol'
import { type Child, element } from '../parts/element.ts'
import { counted } from './header.ts'
import { section, timeText } from './section.ts'
import { type Talk, type Turn, talksOf } from './talks.ts'

/** More than this in one part of a conversation is not drawn. */
const mostTurns = 2_000

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
