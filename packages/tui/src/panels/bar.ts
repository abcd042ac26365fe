import { type Line, type Style, span } from '../terminal/line.ts'
import type { Signs } from '../terminal/theme.ts'

/** `[████░░░░]`; what is over is full. */
export function bar(
  part: number,
  width: number,
  { signs, style = 'accent' }: { signs: Signs; style?: Style },
): Line {
  const full = Math.round(Math.max(0, Math.min(1, part)) * width)
  return [span(signs.full.repeat(full), style), span(signs.empty.repeat(width - full), 'dim')]
}
