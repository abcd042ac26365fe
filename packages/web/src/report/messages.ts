import type { ReportData, ReportError, SentinelOutput } from '@weave/protocol'
import { dollarsText } from 'weave-client'
import { element } from '../parts/element.ts'
import { leftOutNote, section, timeText } from './section.ts'

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

/** What the observers said, sentinel by sentinel. */
export function sentinelOutputs({ sentinels }: ReportData): HTMLElement | undefined {
  const { items, leftOut } = sentinels
  if (items.length === 0) return undefined
  const names = [...new Set(items.map(({ sentinelId }) => sentinelId))]
  const groups = names.map(name =>
    group(
      name,
      items.filter(({ sentinelId }) => sentinelId === name),
    ),
  )
  return section({ id: 'sentinels', title: 'Sentinels' }, [leftOutNote(leftOut, 'outputs'), ...groups])
}

function group(name: string, outputs: readonly SentinelOutput[]): HTMLElement {
  return element('div', { class: 'sentinel' }, [
    element('h3', {}, [name]),
    element('ol', { class: 'outputs' }, outputs.map(output)),
  ])
}

function output({ codonId, time, text, cost }: SentinelOutput): HTMLElement {
  return element('li', {}, [
    element('p', { class: 'quiet' }, [[timeText(time), codonId, dollarsText(cost)].join(' · ')]),
    element('p', { class: 'said' }, [text]),
  ])
}
