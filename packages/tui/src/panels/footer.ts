import { keysText, keyTable } from '../model/key-table.ts'
import type { Ui } from '../model/ui.ts'
import { type Line, line, span } from '../terminal/line.ts'

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

/** A notice, the search that is typed, or the most useful keys. */
export function footerLine(
  ui: Ui,
  { canSteer, now }: { readonly canSteer: boolean; readonly now: number },
): Line {
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
  return hints.flatMap(([action, word]) => {
    const row = keyTable.find(each => each.action === action)
    if (!row || (row.steers && !canSteer)) return []
    return line(
      span(` ${keysText({ ...row, keys: row.keys.slice(0, 1) })}`, 'accent'),
      span(` ${word} `, 'dim'),
    )
  })
}
