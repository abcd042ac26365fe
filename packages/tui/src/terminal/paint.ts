import { harmless } from 'weave-client'
import type { Line, Style } from './line.ts'
import type { Theme } from './theme.ts'
import { clipped, displayWidth } from './width.ts'

/** A stretch of one row of the screen. */
export interface Cell {
  /** From 0. */
  readonly column: number
  readonly width: number
  readonly line: Line
  /** Fills the whole stretch with this style; otherwise the rest of it stays empty. */
  readonly fill?: Style
}

const off = '\x1b[0m'

/**
 * One row of the screen, as it is sent. Every escape sequence that the program writes into a row is made here: text is made
 * harmless once more, so that nothing from outside can be one. Each stretch begins with its own column, so that text whose
 * width the terminal sees differently shifts nothing after it.
 */
export function paintRow(cells: readonly Cell[], theme: Theme): string {
  return cells.map(cell => paintCell(cell, theme)).join('')
}

function paintCell({ column, width, line, fill }: Cell, { codes }: Theme): string {
  const under = fill ? codes[fill] : ''
  let left = width
  let text = ''
  for (const { text: raw, style = 'plain' } of line) {
    if (left <= 0) break
    const shown = clipped(oneLine(raw), left)
    left -= displayWidth(shown)
    const code = under + codes[style]
    text += code === '' ? shown : `${code}${shown}${off}`
  }
  if (fill && left > 0) text += `${under}${' '.repeat(left)}${off}`
  return `\x1b[${column + 1}G${text}`
}

function oneLine(text: string): string {
  return harmless(text).replace(/[\n\t]/g, ' ')
}
