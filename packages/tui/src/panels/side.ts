import type { View } from 'weave-client'
import type { Rows } from '../model/rows.ts'
import { type Window, windowOf } from '../model/scroll.ts'
import { line, span } from '../terminal/line.ts'
import type { Cell } from '../terminal/paint.ts'
import { budgetRows } from './budgets.ts'
import type { PanelContext } from './context.ts'
import { planRows } from './plan.ts'

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
