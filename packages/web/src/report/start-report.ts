import type { ReportData, ReportEvents } from '@weave/protocol'
import { element } from '../parts/element.ts'
import { conversation } from './conversation.ts'
import { eventList } from './event-list.ts'
import { files, outputs } from './files.ts'
import { header } from './header.ts'
import { errors, sentinelOutputs } from './messages.ts'
import { section, timeText } from './section.ts'
import { budgets, spending } from './spending.ts'
import { timeline } from './timeline.ts'

/**
 * Draws the report from the data that stand before the script, at once. The events stand after it and are read when the
 * page is whole and has been painted, so that a long execution is on the screen as soon as a short one.
 */
export function startReport(page: Document): void {
  const data = read<ReportData>(page, 'report-data')
  if (!data) return
  const waiting = { conversation: placeFor('conversation'), events: placeFor('events') }
  const main = element('main', {}, [
    header(data),
    ...sections(data),
    waiting.conversation,
    waiting.events,
    element('footer', {}, [`Made by weave ${data.weaveVersion} at ${timeText(data.madeAt)} UTC.`]),
  ])
  main.insertBefore(contents(main), main.children.item(1))
  page.body.prepend(main)
  page.addEventListener('DOMContentLoaded', () => {
    requestAnimationFrame(() => setTimeout(() => drawEvents(page, waiting, data.execution.dir)))
  })
}

/** What went wrong comes first when something did. */
function sections(data: ReportData): readonly HTMLElement[] {
  const wrong = data.status === 'failed' || data.status === 'crashed'
  const faults = errors(data)
  return [
    wrong && faults,
    timeline(data),
    spending(data),
    budgets(data),
    files(data),
    outputs(data),
    sentinelOutputs(data),
    !wrong && faults,
    settings(data),
  ].filter(part => part instanceof HTMLElement)
}

interface Waiting {
  readonly conversation: HTMLElement
  readonly events: HTMLElement
}

function placeFor(id: string): HTMLElement {
  return element('section', { id, class: 'card' }, [element('p', { class: 'empty' }, ['…'])])
}

function drawEvents(page: Document, waiting: Waiting, dir: string): void {
  const events = read<ReportEvents>(page, 'report-events')
  if (!events) return
  waiting.conversation.replaceWith(conversation(events, dir))
  waiting.events.replaceWith(eventList(events, dir))
}

function contents(main: HTMLElement): HTMLElement {
  const titles = new Map([
    ['conversation', 'Conversation'],
    ['events', 'Events'],
  ])
  for (const part of main.querySelectorAll('section')) {
    const title = part.querySelector('h2')?.textContent
    if (title) titles.set(part.id, title)
  }
  const ids = [...main.querySelectorAll('section')].map(({ id }) => id)
  const links = ids.map(id => element('a', { href: `#${id}` }, [titles.get(id)]))
  return element('nav', { 'aria-label': 'Contents' }, links)
}

/** The command that wrote the page vouches for the shape. */
function read<Shape>(page: Document, id: string): Shape | undefined {
  const text = page.getElementById(id)?.textContent
  return text ? (JSON.parse(text) as Shape) : undefined
}

/** Every setting of the last start with who set it; what somebody chose before what was left alone. */
function settings({ settings: rows }: ReportData): HTMLElement {
  const aside = rows.length > 0 ? 'Of the last start.' : 'They were not written down.'
  const sorted = [...rows].sort((left, right) => Number(isDefault(left)) - Number(isDefault(right)))
  const table = element('div', { class: 'scroll' }, [
    element('table', { class: 'settings' }, [
      element(
        'tbody',
        {},
        sorted.map(({ field, value, origin }) =>
          element('tr', { 'data-default': isDefault({ origin }) }, [
            element('th', { scope: 'row' }, [field]),
            element('td', {}, [element('code', {}, [value])]),
            element('td', { class: 'quiet' }, [origin]),
          ]),
        ),
      ),
    ]),
  ])
  return section({ id: 'settings', title: 'Settings', aside }, rows.length > 0 ? [table] : [])
}

function isDefault({ origin }: { readonly origin: string }): boolean {
  return origin === 'default'
}
