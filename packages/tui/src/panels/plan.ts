import {
  type CodonLine,
  codonStatusWords,
  dollarsText,
  durationText,
  harmlessLine,
  type LoopLine,
  type OutlineLine,
  tokenCountsText,
  type View,
} from 'weave-client'
import { plainRows, type Rows } from '../model/rows.ts'
import { type Window, windowOf } from '../model/scroll.ts'
import { type Line, line, type Span, type Style, span } from '../terminal/line.ts'
import type { Cell } from '../terminal/paint.ts'
import type { Signs } from '../terminal/theme.ts'
import { budgetRows } from './budgets.ts'
import { type PanelContext, spread } from './panel.ts'

/** The hank as a tree: codons with what became of them, loops with the iteration that is at work. */
export function planRows(context: PanelContext): Rows {
  const items = context.outline.flatMap((item): readonly PlanRow[] => {
    if (item.kind === 'codon') return [{ key: item.codonId, item, indent: '' }]
    const inside = item.codons.map(codon => ({ key: codon.codonId, item: codon, indent: '  ' }))
    return [{ key: item.loopId, item, indent: '' }, ...inside]
  })
  if (items.length === 0) return plainRows([line(span(' The plan is not known yet.', 'dim'))])
  return {
    length: items.length,
    indexOf: key => items.findIndex(row => row.key === key),
    at(index) {
      const row = items[index]
      if (!row) return undefined
      const { key, item, indent } = row
      const shown = item.kind === 'loop' ? loopRow(item, context) : codonRow(item, context, indent)
      return { key, part: 0, line: shown }
    },
  }
}

interface PlanRow {
  readonly key: string
  readonly item: OutlineLine
  readonly indent: string
}

/** Room for more than a name and a time. */
const wideEnough = 64

function codonRow(codon: CodonLine, context: PanelContext, indent: string): Line {
  const { signs, width } = context
  const { sign, style } = signOf(codon, signs)
  const name = harmlessLine(codon.name || codon.codonId, 80)
  const left = line(
    ` ${indent}`,
    span(`${sign} `, style),
    span(name, codon.runningSince === undefined ? 'plain' : 'bold'),
    codon.attempts > 1 ? span(` attempt ${codon.attempts}`, 'warn') : undefined,
    codon.extensions > 0 ? span(` +${codon.extensions}`, 'dim') : undefined,
    ...(width >= wideEnough ? details(codon) : []),
  )
  return spread(left, figures(codon, context), width)
}

function details(codon: CodonLine): Line {
  const reason = codon.failureReason?.message ?? codon.failureReason?.type
  return line(
    span(`  ${codon.codonId}`, 'dim'),
    span(`  ${harmlessLine(codon.model, 40)}`, 'dim'),
    codon.status === 'pending' ? undefined : span(`  ${codonStatusWords[codon.status]}`, 'dim'),
    codon.budgetExceeded ? span('  stopped by budget', 'warn') : undefined,
    reason === undefined ? undefined : span(`  ${harmlessLine(reason, 120)}`, 'bad'),
  )
}

function figures(codon: CodonLine, { costs, now, width }: PanelContext): Line {
  if (codon.attempts === 0) return []
  const running = codon.runningSince === undefined ? 0 : now - Date.parse(codon.runningSince)
  const money = dollarsText(codon.cost, { unknown: codon.costUnknown })
  return line(
    costs && width >= wideEnough ? span(`${tokenCountsText(codon.tokens)}  `, 'dim') : undefined,
    costs ? span(`${money}  `, 'dim') : undefined,
    span(`${durationText(codon.durationMs + running)} `, 'dim'),
  )
}

function loopRow(loop: LoopLine, { signs, width, costs }: PanelContext): Line {
  const left = line(
    ' ',
    loopSign(loop, signs),
    span(harmlessLine(loop.name, 80)),
    span(`  ${loopWords(loop)}`, 'dim'),
  )
  const right =
    loop.durationMs > 0
      ? line(
          costs ? span(`${dollarsText(loop.cost)}  `, 'dim') : undefined,
          span(`${durationText(loop.durationMs)} `, 'dim'),
        )
      : []
  return spread(left, right, width)
}

function loopSign({ ended, begun }: LoopLine, signs: Signs): Span {
  if (!begun) return span(`${signs.pending} `, 'dim')
  return ended ? span(`${signs.completed} `, 'good') : span(`${signs.loop} `, 'accent')
}

function loopWords({ ended, begun, completed, iteration, limit }: LoopLine): string {
  if (!begun) return limit === null ? '' : limit === 1 ? 'once' : `${limit} times`
  if (ended) return `${completed} done`
  return `iteration ${iteration + 1}${limit === null ? '' : ` of ${limit}`}`
}

function signOf({ status, budgetExceeded }: CodonLine, signs: Signs): { sign: string; style: Style } {
  if (status === 'pending') return { sign: signs.pending, style: 'dim' }
  if (status === 'completed') return { sign: signs.completed, style: budgetExceeded ? 'warn' : 'good' }
  if (status === 'failed') return { sign: signs.failed, style: 'bad' }
  if (status === 'skipped') return { sign: signs.skipped, style: 'warn' }
  return { sign: signs.running, style: 'accent' }
}

/** The plan at the side, so placed that what runs is seen, and limits below it. */
export function sideOf(context: PanelContext, height: number): readonly (readonly Cell[])[] {
  const { width, signs } = context
  const budgets = context.view.limits.length > 0 ? budgetRows(context) : undefined
  const budgetHeight = budgets ? Math.min(budgets.length + 1, Math.floor(height / 3)) : 0
  const plan = planRows(context)
  const planHeight = height - budgetHeight
  const { top } = sideWindow(plan, context.view, planHeight)
  return Array.from({ length: height }, (_, index) => {
    const inPlan = index < planHeight
    const content = inPlan ? plan.at(top + index) : budgets?.at(index - planHeight - 1)
    const rule = !inPlan && index === planHeight ? line(span(signs.rule.repeat(width), 'dim')) : undefined
    return [
      { column: 0, width, line: rule ?? content?.line ?? [] },
      { column: width, width: 1, line: [span(signs.wall, 'dim')] },
    ]
  })
}

function sideWindow(plan: Rows, view: View, height: number): Window {
  const live = view.machine.state.runs.at(-1)?.codons.at(-1)?.codonId
  const at = live === undefined ? -1 : plan.indexOf(live)
  if (at < 0) return windowOf(plan, 'start', height)
  return windowOf(plan, { key: live ?? '', part: 0, screenRow: Math.floor(height / 2) }, height)
}
