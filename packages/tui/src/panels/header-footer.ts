import {
  activityText,
  currentCodon,
  dollarsText,
  durationText,
  harmlessLine,
  isCostUnknown,
  type OutlineLine,
  runOf,
  runStatusWords,
  tokensText,
  untilText,
  type View,
} from 'weave-client'
import { keysText, keyTable } from '../model/key-table.ts'
import { streamFilters } from '../model/stream-filter.ts'
import { type PanelName, panelNames, panels, type Ui } from '../model/ui.ts'
import { type Line, line, span } from '../terminal/line.ts'
import type { Signs } from '../terminal/theme.ts'
import { bar, type PanelContext, spread } from './panel.ts'

/** Who runs, how far it is, how long it has taken. */
export function titleLine(context: PanelContext, { canSteer }: { readonly canSteer: boolean }): Line {
  const { view, width, signs } = context
  const run = runOf(view)
  const name = harmlessLine(view.plan?.hankName ?? run?.hankName ?? 'weave', 60)
  const left = line(
    span(` ${name} `, 'badge'),
    view.rehearsal ? span(' REHEARSAL ', 'warn') : undefined,
    canSteer ? undefined : span(' read-only ', 'warn'),
    run ? span(` ${runStatusWords[run.status]}`, run.status === 'failed' ? 'bad' : 'plain') : undefined,
    width >= 60 && view.errorCount > 0
      ? span(`${signs.separator}${view.errorCount} errors`, 'bad')
      : undefined,
  )
  return spread(left, figures(context), width)
}

function figures(context: PanelContext): Line {
  const { view, width, signs, costs, now } = context
  const { done, total, part } = progressOf(context.outline)
  const elapsed = elapsedOf(view, now)
  return line(
    ...(total > 0 && width >= 70 ? bar(part, 12, { signs, style: 'good' }) : []),
    total > 0 ? span(` ${done}/${total}`) : undefined,
    costs
      ? span(
          `${signs.separator}${dollarsText(view.totals.cost, { unknown: isCostUnknown(view), simulated: view.rehearsal && width >= 80 })}`,
        )
      : undefined,
    elapsed === undefined ? undefined : span(`${signs.separator}${durationText(elapsed)}`),
    ' ',
  )
}

/** Since the run began; of a run that has ended, how long it took. */
function elapsedOf(view: View, now: number): number | undefined {
  const run = runOf(view)
  if (!run) return undefined
  const end = run.endTime === undefined ? now : Date.parse(run.endTime)
  return Math.max(0, end - Date.parse(run.startTime))
}

/** The panels by number; the one that is shown stands out. */
export function tabsLine({ panel, filter }: Ui, { view, width, signs }: PanelContext): Line {
  const counts: { readonly [P in PanelName]?: number } = {
    files: view.files.length,
    sentinels: view.sentinels.filter(({ loaded }) => loaded).length,
    budgets: view.breaches.length,
    checkpoints: view.checkpoints.length,
  }
  const isNarrow = width < 84
  const tabs = panelNames.map((name, index) => {
    const count = counts[name] ? ` ${counts[name]}` : ''
    const title = isNarrow && name !== panel ? '' : ` ${panels[name].title}${count}`
    return span(` ${index + 1}${title} `, name === panel ? 'bar' : 'dim')
  })
  return spread(line(...tabs), panel === 'stream' ? filterLine(filter, signs.separator) : [], width)
}

function filterLine(filter: Ui['filter'], separator: string): Line {
  const parts = [
    ...(filter.name === 'all' ? [] : [streamFilters[filter.name].title]),
    ...(filter.only === undefined ? [] : [harmlessLine(filter.only.title, 20)]),
    ...(filter.sentinelId === undefined ? [] : [harmlessLine(filter.sentinelId, 20)]),
    ...(filter.search === ''
      ? []
      : [`/${harmlessLine(filter.search, 20)}${filter.onlyMatches ? ' only' : ''}`]),
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

export interface ActivityContext {
  readonly view: View
  readonly now: number
  readonly signs: Signs
  readonly costs: boolean
  /** When the connection came into the state in which it is. */
  readonly connectionSince: number
  /** What of the journal has been read, from 0 to 1; undefined: all of it. */
  readonly reading: number | undefined
  readonly leaving: boolean
  /** The run belongs to this screen and ends with it. */
  readonly ownsRun: boolean
}

/** The one thing that matters most now, in one line. */
export function activityLine(context: ActivityContext): Line {
  const { leaving, ownsRun } = context
  const connection = connectionLine(context)
  if (connection) return connection
  if (leaving && ownsRun)
    return line(span(' Ending the run in good order; q once more ends it at once.', 'warn'))
  return waitLine(context) ?? codonLine(context) ?? restLine(context)
}

function connectionLine({ view, now, connectionSince, reading }: ActivityContext): Line | undefined {
  const { connection } = view
  switch (connection.state) {
    case 'open':
      if (reading === undefined) return undefined
      return line(span(` Reading what happened before: ${Math.floor(reading * 100)} %`, 'dim'))
    case 'connecting':
      return line(span(' Connecting …', 'dim'))
    case 'reconnecting': {
      const left = Math.max(0, Math.ceil((connectionSince + connection.delayMs - now) / 1000))
      const why = connection.reason === '' ? '' : ` (${harmlessLine(connection.reason, 60)})`
      const when = left > 0 ? `in ${left} s` : 'now'
      return line(span(` Connection lost${why}. Trying again ${when}, attempt ${connection.attempt}.`, 'bad'))
    }
    case 'closed':
      return line(
        span(` The server has gone: ${harmlessLine(connection.reason, 120) || connection.code}.`, 'bad'),
      )
  }
}

function waitLine({ view, now }: ActivityContext): Line | undefined {
  const { rollback, waiting } = view
  if (rollback) {
    const steps = rollback.totalSteps > 0 ? ` ${rollback.step} of ${rollback.totalSteps}` : ''
    const to = rollback.toCodon === undefined ? '' : ` to ${harmlessLine(rollback.toCodon, 40)}`
    return line(span(` Going back${to}${steps}: ${harmlessLine(rollback.message, 100)}`, 'warn'))
  }
  if (!waiting) return undefined
  const codonId = harmlessLine(waiting.codonId, 40)
  const reason = harmlessLine(waiting.reason, 160)
  const when = untilText(waiting.until, now)
  if (waiting.kind === 'parked')
    return line(span(` Parked until ${waiting.until.slice(11, 19)} (${when}): ${codonId}, ${reason}`, 'warn'))
  return line(
    span(` ${codonId}: attempt ${waiting.attempt} of ${waiting.maxAttempts} ${when} (${reason})`, 'warn'),
  )
}

function codonLine({ view, now, signs, costs }: ActivityContext): Line | undefined {
  const codon = currentCodon(view)
  if (!codon) return undefined
  const since = codon.runningSince === undefined ? 0 : now - Date.parse(codon.runningSince)
  const context = view.context?.codonId === codon.codonId ? view.context.tokens : undefined
  const busy =
    view.activity?.codonId === codon.codonId
      ? activityText({ ...view.activity, codonId: undefined })
      : undefined
  const parts = [
    (busy === undefined ? undefined : harmlessLine(busy, 80)) ?? harmlessLine(codon.model, 40),
    durationText(since),
    ...(codon.attempts > 1 ? [`attempt ${codon.attempts}`] : []),
    ...(costs && context !== undefined ? [`${tokensText(context)} tokens in context`] : []),
  ]
  const name = harmlessLine(codon.name, 60)
  return line(
    span(` ${signs.running} `, 'accent'),
    span(harmlessLine(codon.codonId, 40), 'bold'),
    name === '' || name === codon.codonId ? '' : ` ${name}`,
    span(`${signs.separator}${parts.join(signs.separator)}`, 'dim'),
  )
}

function restLine({ view, ownsRun }: ActivityContext): Line {
  const { summary, idle, activity } = view
  if (activity) return line(span(` ${harmlessLine(activityText(activity), 160)} …`, 'dim'))
  const leave = ownsRun ? ' q leaves.' : ''
  if (summary?.status === 'completed')
    return line(span(` The hank is done in ${durationText(summary.duration)}.${leave}`, 'good'))
  if (summary?.status === 'failed')
    return line(span(` The run failed: ${harmlessLine(summary.reason ?? 'no reason given', 200)}`, 'bad'))
  if (idle) return line(span(` ${harmlessLine(idle.message, 160)}`, 'warn'))
  return line(span(' Waiting for the first codon …', 'dim'))
}

/** Keys that are worth a place at the bottom, in order of their worth, and what they do in a word or two. */
const hints: readonly (readonly [action: string, word: string])[] = [
  ['help', 'help'],
  ['quit', 'quit'],
  ['next-panel', 'panels'],
  ['search', 'search'],
  ['open', 'open'],
  ['filter', 'filter'],
  ['next', 'next'],
  ['skip', 'skip'],
  ['rollback', 'go back'],
  ['costs', 'costs'],
]

/** The same when the run has failed: what can be done about it. */
const repairs: typeof hints = [
  ['redo', 'again'],
  ['rollback', 'go back'],
  ['edit', 'edit its prompt'],
  ['adopt', 'adopt the edited hank'],
  ['quit', 'leave'],
  ['help', 'help'],
]

export interface FooterContext {
  readonly view: View
  readonly canSteer: boolean
  readonly ownsRun: boolean
  readonly now: number
}

/** A notice, the search that is typed, or the most useful keys. */
export function footerLine(ui: Ui, { view, canSteer, ownsRun, now }: FooterContext): Line {
  const { layer, notice } = ui
  if (layer?.kind === 'search')
    return line(
      span(' /', 'accent'),
      layer.text,
      span('_', 'accent'),
      span('  Enter finds, Esc leaves', 'dim'),
    )
  if (notice && notice.until > now) return line(span(` ${notice.text}`, notice.style))
  if (layer?.kind === 'question') return line(span(' Answer with one of the keys above.', 'dim'))
  const useful = canSteer && view.summary?.status === 'failed' ? repairs : hints
  return useful.flatMap(([action, word]) => {
    if (action === 'adopt' && !ownsRun) return []
    const row = keyTable.find(each => each.action === action)
    if (!row || (row.steers && !canSteer)) return []
    return line(
      span(` ${keysText({ ...row, keys: row.keys.slice(0, 1) })}`, 'accent'),
      span(` ${word} `, 'dim'),
    )
  })
}
