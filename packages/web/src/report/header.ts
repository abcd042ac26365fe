import type { ReportData } from '@weave/protocol'
import { dollarsText, durationText, runStatusWords, tokensText } from 'weave-client'
import { element } from '../parts/element.ts'
import { timeText } from './section.ts'

/** What it was, how it went and what it took, before anything else. */
export function header(data: ReportData): HTMLElement {
  const { hank, execution, status, reason, runs } = data
  const begun = runs[0]?.startTime
  return element('header', {}, [
    element('p', { class: 'eyebrow' }, ['Execution report']),
    element('div', { class: 'title' }, [
      element('h1', {}, [hank.name]),
      statusPill(status, status === 'new' ? 'not begun' : runStatusWords[status]),
      execution.isRehearsal && element('span', { class: 'pill' }, ['rehearsal']),
    ]),
    reason !== undefined && element('p', { class: 'reason', 'data-status': status }, [reason]),
    tiles(data),
    element('dl', { class: 'facts' }, [
      ...fact('Started', begun === undefined ? 'not yet' : `${timeText(begun)} UTC`),
      ...fact('Hank', hank.path),
      ...(hank.data === undefined ? [] : fact('Data', hank.data)),
      ...fact('Execution', execution.dir),
    ]),
    ...data.notes.map(note => element('p', { class: 'note' }, [note])),
  ])
}

export function statusPill(status: string, words: string): HTMLElement {
  return element('span', { class: 'pill', 'data-status': status }, [words])
}

function fact(name: string, value: string): readonly HTMLElement[] {
  return [element('dt', {}, [name]), element('dd', {}, [value])]
}

function tiles({ totals, runs, execution }: ReportData): HTMLElement {
  const { tokens, sentinelCost } = totals
  const read = tokens.input + tokens.cacheRead + tokens.cacheWrite
  const cost = dollarsText(totals.cost, { unknown: totals.isCostUnknown })
  const observed = sentinelCost > 0 ? `${dollarsText(sentinelCost)} of it for sentinels` : undefined
  return element('ul', { class: 'tiles' }, [
    tile('Duration', durationText(totals.durationMs), counted(runs.length, 'run')),
    tile('Cost', cost, execution.isRehearsal ? 'simulated' : observed),
    tile('Tokens in', tokensText(read), cachedShare(tokens.cacheRead, read)),
    tile('Tokens out', tokensText(tokens.output), undefined),
    tile('Codons done', String(totals.codonsDone), counted(totals.attempts, 'attempt')),
  ])
}

function tile(name: string, value: string, detail: string | undefined): HTMLElement {
  return element('li', {}, [
    element('span', { class: 'tile-name' }, [name]),
    element('strong', {}, [value]),
    element('span', { class: 'tile-detail' }, [detail ?? '\u00a0']),
  ])
}

function cachedShare(cached: number, all: number): string | undefined {
  return cached > 0 ? `${Math.round((100 * cached) / all)} % from a cache` : undefined
}

export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}
