import type { Line } from '../terminal/line.ts'
import { clipped, displayWidth } from '../terminal/width.ts'

/** One line with something at each end; what stands left is cut when there is too little room for both. */
export function spread(left: Line, right: Line, width: number): Line {
  const taken = widthOf(right)
  if (taken === 0 || taken + 8 > width) return left
  const room = width - taken - 1
  const kept = cutLine(left, room)
  return [...kept, { text: ' '.repeat(width - taken - widthOf(kept)) }, ...right]
}

function widthOf(line: Line): number {
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
