import type { ReportEvents } from '@weave/protocol'
import { element } from '../parts/element.ts'
import { virtualList } from '../parts/virtual-list.ts'
import { type EventFilter, fittingEvents } from './event-filter.ts'
import { counted } from './header.ts'
import { leftOutNote, section, timeText } from './section.ts'

/** All events, to be searched and looked at one by one. `dir` is for the command that shows the rest of one. */
export function eventList(events: ReportEvents, dir: string): HTMLElement {
  let fitting: readonly number[] = []
  let chosen = -1
  const detail = element('div', { class: 'event-detail', 'aria-live': 'polite' })
  const status = element('p', { class: 'quiet', role: 'status' })
  const draw = (index: number): HTMLElement => {
    const at = fitting[index] ?? 0
    const row = eventRow(events, at, at === chosen)
    row.addEventListener('click', () => {
      chosen = at
      detail.replaceChildren(eventDetail(events, at, dir))
      // On a narrow screen it stands below the list.
      detail.scrollIntoView({ block: 'nearest' })
      list.refresh()
    })
    return row
  }
  const list = virtualList({ label: 'Events', role: 'list', draw })
  const controls = filterControls(events, filter => {
    fitting = fittingEvents(events, filter)
    status.textContent = `${counted(fitting.length, 'event')} of ${events.seq.length.toLocaleString('en')}`
    list.show(fitting.length, 'start')
  })
  const part = section({ id: 'events', title: 'Events' }, [
    leftOutNote(events.leftOut, 'events'),
    controls.node,
    status,
    element('div', { class: 'event-panes' }, [list.node, detail]),
  ])
  // The height of the list is known only when it is in the page.
  requestAnimationFrame(controls.apply)
  return part
}

function filterControls(events: ReportEvents, apply: (filter: EventFilter) => void) {
  const words = element('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search in events' })
  const type = choice('All types', 'Type', events.types)
  const codon = choice('All codons', 'Codon', events.codons)
  const all = element('input', { type: 'checkbox' })
  const now = (): void =>
    apply({ words: words.value, type: type.value, codon: codon.value, all: all.checked })
  for (const control of [words, type, codon, all]) control.addEventListener('input', now)
  const label = element('label', {}, [all, 'also events for programs'])
  return { node: element('div', { class: 'controls' }, [words, type, codon, label]), apply: now }
}

function choice(none: string, label: string, values: readonly string[]): HTMLSelectElement {
  const options = [...values].sort().map(value => element('option', { value }, [value]))
  return element('select', { 'aria-label': label }, [element('option', { value: '' }, [none]), ...options])
}

function eventRow(events: ReportEvents, at: number, isChosen: boolean): HTMLElement {
  const { time, type, codon } = placeOf(events, at)
  return element('button', { type: 'button', class: 'event', role: 'listitem', 'data-chosen': isChosen }, [
    element('span', { class: 'event-time' }, [time.slice(11)]),
    element('span', { class: 'event-type' }, [type]),
    element('span', { class: 'event-codon' }, [codon]),
    element('span', { class: 'event-line' }, [events.line[at]]),
  ])
}

function eventDetail(events: ReportEvents, at: number, dir: string): HTMLElement {
  const { seq, time, type, codon } = placeOf(events, at)
  const more = events.more[String(seq)]
  const isCut = more?.endsWith('…') ?? events.line[at]?.endsWith('…') ?? false
  const command = `weave journal ${dir} --since ${seq - 1} --json | head -1`
  return element('div', {}, [
    element('p', { class: 'quiet' }, [[`#${seq}`, `${time} UTC`, type, codon].filter(Boolean).join(' · ')]),
    element('pre', {}, [more ?? events.line[at] ?? '']),
    isCut && element('p', { class: 'quiet' }, ['The whole of it: ', element('code', {}, [command])]),
  ])
}

function placeOf({ seq, at: times, startMs, types, type, codons, codon }: ReportEvents, at: number) {
  return {
    seq: seq[at] ?? 0,
    time: timeText(startMs + (times[at] ?? 0)),
    type: types[type[at] ?? -1] ?? '',
    codon: codons[codon[at] ?? -1] ?? '',
  }
}
