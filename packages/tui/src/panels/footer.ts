import type { View } from 'weave-client'
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
