import type { ReportAttempt, ReportData, ReportRun } from '@weave/protocol'
import { codonStatusWords, dollarsText, durationText, runStatusWords } from 'weave-client'
import { element, placed } from '../parts/element.ts'
import { statusPill } from './header.ts'
import { section, timeText } from './section.ts'

/** More bars than this say nothing to anybody. */
const mostRows = 1500

/** Every attempt at a codon as a bar, each run on an axis of its own: what lies between two runs is no time of theirs. */
export function timeline({ runs }: ReportData): HTMLElement {
  const parts: HTMLElement[] = []
  let left = mostRows
  for (const [at, run] of runs.entries()) {
    parts.push(runPart(run, at, left))
    left = Math.max(0, left - run.attempts.length)
  }
  const nothing = element('p', { class: 'empty' }, ['Nothing has run yet.'])
  return section({ id: 'timeline', title: 'Timeline', aside: legend }, parts.length > 0 ? parts : [nothing])
}

const legend = 'Each run has its own axis; a retry and an iteration have their own bar.'

function runPart(run: ReportRun, at: number, room: number): HTMLElement {
  const shown = run.attempts.slice(0, room)
  const hidden = run.attempts.length - shown.length
  return element('div', { class: 'run' }, [
    element('div', { class: 'run-head' }, [
      element('h3', {}, [`Run ${at + 1}`]),
      statusPill(run.status, runStatusWords[run.status]),
      element('span', { class: 'run-facts' }, [
        [timeText(run.startTime), originText(run), durationText(run.durationMs), dollarsText(run.cost)].join(
          ' · ',
        ),
      ]),
    ]),
    run.reason !== undefined && element('p', { class: 'reason', 'data-status': run.status }, [run.reason]),
    shown.length > 0 && axis(run.durationMs),
    element(
      'ol',
      { class: 'bars' },
      shown.map(attempt => bar(attempt, run.durationMs)),
    ),
    hidden > 0 && element('p', { class: 'note' }, [`${hidden} more attempts are not drawn.`]),
  ])
}

function originText({ origin, after }: ReportRun): string {
  const place = after === undefined ? 'from the beginning' : `after ${after}`
  if (origin === 'fresh') return 'from the beginning'
  return origin === 'resumed' ? `went on ${place}` : `rolled back, ${place}`
}

function axis(durationMs: number): HTMLElement {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(part => element('span', {}, [durationText(durationMs * part)]))
  return element('div', { class: 'axis', 'aria-hidden': 'true' }, ticks)
}

function bar(attempt: ReportAttempt, whole: number): HTMLElement {
  const { codonId, codonName, status, durationMs, fromMs } = attempt
  const percent = (ms: number): string => `${whole > 0 ? Math.min(100, (100 * ms) / whole).toFixed(3) : 0}%`
  const fill = placed(element('span', { class: 'bar-fill', 'data-status': status }), {
    '--from': percent(fromMs),
    '--long': percent(durationMs),
  })
  const words = [
    codonStatusWords[status],
    durationText(durationMs),
    dollarsText(attempt.cost, { unknown: attempt.isCostUnknown }),
  ]
  return element('li', { class: 'bar', 'data-undone': attempt.isUndone }, [
    element('span', { class: 'bar-name', title: `${codonName} (${attempt.model})` }, [
      element('b', {}, [codonId]),
      ...badges(attempt),
    ]),
    element('span', { class: 'bar-track' }, [fill]),
    element('span', { class: 'bar-facts' }, [words.join(' · ')]),
    attempt.reason !== undefined && element('span', { class: 'bar-reason' }, [attempt.reason]),
  ])
}

function badges({ attempt, loop, isUndone }: ReportAttempt): readonly HTMLElement[] {
  const words = [
    ...(loop === undefined ? [] : [`${loop.id} ${loop.iteration + 1}`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(isUndone ? ['rolled back'] : []),
  ]
  return words.map(word => element('span', { class: 'badge' }, [word]))
}
