import {
  dollarsText,
  durationText,
  elapsedOf,
  harmlessLine,
  isCostUnknown,
  type OutlineLine,
  openGate,
  type RunStatus,
  runOf,
  runStatusWords,
} from 'weave-client'
import { streamFilters } from '../model/stream-filter.ts'
import { type PanelName, panelNames, panels, type Ui } from '../model/ui.ts'
import { type Line, line, span } from '../terminal/line.ts'
import { bar, lineWidth, type PanelContext, spread } from './panel.ts'

/** Who runs, how far it is, how long it has taken. */
export function titleLine(context: PanelContext, { canSteer }: { readonly canSteer: boolean }): Line {
  const { view, width, signs, atRest } = context
  const run = runOf(view)
  const name = harmlessLine(view.plan?.hankName ?? run?.hankName ?? 'weave', 60)
  const errors = view.errorCount === 1 ? '1 error' : `${view.errorCount} errors`
  const left = line(
    span(` ${name} `, 'badge'),
    view.rehearsal ? span(' REHEARSAL ', 'warn') : undefined,
    canSteer ? undefined : span(atRest ? ' at rest ' : ' read-only ', 'warn'),
    run ? span(` ${statusWord(run.status, atRest)}`, run.status === 'failed' ? 'bad' : 'plain') : undefined,
    width >= 60 && view.errorCount > 0 ? span(`${signs.separator}${errors}`, 'bad') : undefined,
  )
  return spread(left, figures(context, width - lineWidth(left)), width)
}

/** Where nobody is at work a run that says it is running was cut off. */
function statusWord(status: RunStatus, atRest: boolean): string {
  return atRest && status === 'running' ? 'cut off' : runStatusWords[status]
}

/** As much as there is room for; the bar goes first, for what it shows stands beside it in numbers. */
function figures(context: PanelContext, room: number): Line {
  const { view, signs, costs, now } = context
  const { done, total, part } = progressOf(context.outline)
  const elapsed = elapsedOf(view, now)
  const money = (simulated: boolean): string =>
    dollarsText(view.totals.cost, { unknown: isCostUnknown(view), simulated: view.rehearsal && simulated })
  const said = (simulated: boolean): Line =>
    line(
      total > 0 ? span(` ${done}/${total}`) : undefined,
      costs ? span(`${signs.separator}${money(simulated)}`) : undefined,
      elapsed === undefined ? undefined : span(`${signs.separator}${durationText(elapsed)}`),
      ' ',
    )
  const progress = total > 0 ? bar(part, 12, { signs, style: 'good' }) : []
  const forms = [
    [...(costs ? [] : [span('c costs  ', 'dim')]), ...progress, ...said(true)],
    [...progress, ...said(true)],
    said(true),
  ]
  return forms.find(form => lineWidth(form) < room) ?? said(false)
}

/** The panels by number; the one that is shown stands out. */
export function tabsLine(ui: Ui, { view, width, signs }: PanelContext, stream: StreamPlace): Line {
  const { panel } = ui
  const counts: { readonly [P in PanelName]?: number } = {
    files: view.files.length,
    sentinels: view.sentinels.filter(({ loaded }) => loaded).length,
    budgets: view.breaches.length,
    checkpoints: view.checkpoints.length,
    gates: openGate(view) ? 1 : 0,
  }
  const isNarrow = width < 84
  const tabs = panelNames.map((name, index) => {
    const count = counts[name] ? ` ${counts[name]}` : ''
    const title = isNarrow && name !== panel ? '' : ` ${panels[name].title}${count}`
    return span(` ${index + 1}${title} `, name === panel ? 'bar' : 'dim')
  })
  return spread(line(...tabs), panel === 'stream' ? streamLine(ui, stream, signs.separator) : [], width)
}

/** Where a person stands in the stream. */
export interface StreamPlace {
  /** How many entries match the search, and which of them the cursor is on, from 1; 0: on none. */
  readonly matches: number
  readonly match: number
  /** Entries that came since the stream was left; undefined while it is followed. */
  readonly unseen: number | undefined
}

function streamLine({ filter }: Ui, { matches, match, unseen }: StreamPlace, separator: string): Line {
  const count = match > 0 ? `${match} of ${matches}` : `${matches} found`
  const parts = [
    ...(filter.name === 'all' ? [] : [streamFilters[filter.name].title]),
    ...(filter.only === undefined ? [] : [harmlessLine(filter.only.title, 20)]),
    ...(filter.sentinelId === undefined ? [] : [harmlessLine(filter.sentinelId, 20)]),
    ...(filter.search === ''
      ? []
      : [`/${harmlessLine(filter.search, 20)}${filter.onlyMatches ? ' only' : ''}`, count]),
    ...(unseen === undefined ? [] : ['following off', `${unseen} new`, 'End']),
  ]
  return parts.length === 0 ? [] : line(span(`${parts.join(separator)} `, 'warn'))
}

/** How much of the plan is done. */
interface Progress {
  readonly done: number
  /** Items of the plan; 0: not known yet. */
  readonly total: number
  /** From 0 to 1; a loop counts by its iterations where their number is known. */
  readonly part: number
}

function progressOf(outline: readonly OutlineLine[]): Progress {
  const parts = outline.map(partOf)
  const total = parts.length
  const done = parts.filter(part => part === 1).length
  return { done, total, part: total === 0 ? 0 : parts.reduce((sum, part) => sum + part, 0) / total }
}

function partOf(item: OutlineLine): number {
  if (item.kind === 'codon') return isDone(item.status) ? 1 : 0
  if (item.ended) return 1
  const inside = item.codons.filter(({ status }) => isDone(status)).length / Math.max(1, item.codons.length)
  const open = item.completed > item.iteration ? 0 : inside
  return item.limit === null ? 0 : Math.min(0.99, (item.completed + open) / item.limit)
}

function isDone(status: string): boolean {
  return status === 'completed' || status === 'skipped'
}
