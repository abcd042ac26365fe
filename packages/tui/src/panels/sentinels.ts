import { dollarsText, harmlessLine } from 'weave-client'
import { plainRows, type Rows, rowsOf } from '../model/rows.ts'
import { line, span } from '../terminal/line.ts'
import type { PanelContext } from './context.ts'
import { spread } from './spread.ts'

/** The observers, newest first. */
export function sentinelRows({ view, width, costs, signs }: PanelContext): Rows {
  const rows = view.sentinels.toReversed().map((sentinel, index, all) => {
    const { sentinelId, codonId, model, loaded, outputs, errors, cost, unloadReason } = sentinel
    const left = line(
      ' ',
      loaded ? span(`${signs.running} `, 'accent') : span(`${signs.completed} `, 'dim'),
      span(harmlessLine(sentinelId, 60), loaded ? 'bold' : 'plain'),
      span(` on ${harmlessLine(codonId, 40)}`, 'dim'),
      width >= 70 ? span(`  ${harmlessLine(model, 40)}`, 'dim') : undefined,
      unloadReason === undefined || unloadReason === 'codon-complete'
        ? undefined
        : span(`  left: ${unloadReason}`, 'warn'),
    )
    const right = line(
      costs ? span(`${dollarsText(cost)}  `, 'dim') : undefined,
      errors > 0 ? span(`${errors} failed  `, 'bad') : undefined,
      span(`${outputs} said `, 'dim'),
    )
    const part = all.slice(0, index).filter(other => other.sentinelId === sentinelId).length
    return { key: sentinelId, part, line: spread(left, right, width) }
  })
  return rows.length > 0 ? rowsOf(rows) : plainRows([line(span(' No sentinel is attached.', 'dim'))])
}
