import {
  dollarsText,
  durationText,
  harmlessLine,
  isCostUnknown,
  runOf,
  runStatusWords,
  type View,
} from 'weave-client'
import { type PanelName, panelNames, panels } from '../model/panel-names.ts'
import { streamFilters } from '../model/stream-filter.ts'
import type { Ui } from '../model/ui.ts'
import { type Line, line, span } from '../terminal/line.ts'
import { bar } from './bar.ts'
import type { PanelContext } from './context.ts'
import { progressOf } from './progress.ts'
import { spread } from './spread.ts'

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
