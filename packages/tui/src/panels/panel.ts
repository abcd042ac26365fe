import type { FileVersions, OutlineLine, View } from 'weave-client'
import { type Line, type Style, span } from '../terminal/line.ts'
import type { Signs } from '../terminal/theme.ts'
import { clipped, displayWidth } from '../terminal/width.ts'

/** What a panel is drawn from. */
export interface PanelContext {
  readonly view: View
  /** `outlineOf(view)`: asked for once, used by several. */
  readonly outline: readonly OutlineLine[]
  readonly versions: FileVersions
  readonly width: number
  /** Costs and tokens are shown. */
  readonly costs: boolean
  readonly now: number
  /** Nothing runs and nothing will. */
  readonly atRest: boolean
  readonly signs: Signs
}

/** One line with something at each end; what stands left is cut when there is too little room for both. */
export function spread(left: Line, right: Line, width: number): Line {
  const taken = lineWidth(right)
  if (taken === 0 || taken + 8 > width) return left
  const room = width - taken - 1
  const kept = cutLine(left, room)
  return [...kept, { text: ' '.repeat(width - taken - lineWidth(kept)) }, ...right]
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0)
}

function cutLine(line: Line, width: number): Line {
  let room = width
  return line.flatMap(each => {
    const text = clipped(each.text, room)
    room -= displayWidth(text)
    return text === '' ? [] : [{ ...each, text }]
  })
}

/** `[████░░░░]`; what is over is full. */
export function bar(
  part: number,
  width: number,
  { signs, style = 'accent' }: { signs: Signs; style?: Style },
): Line {
  const full = Math.round(Math.max(0, Math.min(1, part)) * width)
  return [span(signs.full.repeat(full), style), span(signs.empty.repeat(width - full), 'dim')]
}
