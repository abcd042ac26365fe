import type { ReportData, ReportError } from '@weave/protocol'
import { element } from './element.ts'
import { leftOutNote, section } from './section.ts'
import { timeText } from './time-text.ts'

/** What went wrong, also what was mended by a retry. */
export function errors({ errors: found }: ReportData): HTMLElement | undefined {
  const { items, leftOut } = found
  if (items.length === 0) return undefined
  return section({ id: 'errors', title: 'Errors and warnings' }, [
    leftOutNote(leftOut, 'of them'),
    element('ol', { class: 'errors' }, items.map(row)),
  ])
}

function row({ time, kind, codonId, message }: ReportError): HTMLElement {
  return element('li', { 'data-kind': kind }, [
    element('p', { class: 'quiet' }, [
      [timeText(time), kind, ...(codonId === undefined ? [] : [codonId])].join(' · '),
    ]),
    element('p', { class: 'said' }, [message]),
  ])
}
