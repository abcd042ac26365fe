/**
 * Where a list of rows of one height stands. Browsers do not draw elements of more than 16.7 to 33.5 million pixels, so a
 * long list is shown shorter than it is: the scrollbar is that of the shown height, small steps move by real pixels.
 *
 * P1 `top` is the truth, in real pixels; `scrollTop` follows it.
 * P2 Both ends can be reached: the scrollbar at its end is the last row at the bottom.
 */
export interface ScrollPlace {
  readonly top: number
  /** What the element's `scrollTop` should be. */
  readonly scrollTop: number
}

export interface ListSize {
  readonly rows: number
  readonly rowHeight: number
  /** Of the part in sight. */
  readonly viewport: number
}

export const mostShownHeight = 8_000_000

export function shownHeight({ rows, rowHeight }: ListSize): number {
  return Math.min(rows * rowHeight, mostShownHeight)
}

/** The place with its `top` there, or as near as the list allows. */
export function placeAt(top: number, size: ListSize): ScrollPlace {
  const { real, shown } = ways(size)
  const clamped = Math.min(Math.max(0, top), real)
  return { top: clamped, scrollTop: real === shown ? clamped : (clamped * shown) / real }
}

/** The place with this row in sight: at the top, at the bottom, or moved as little as possible. */
export function placeOfRow(
  row: number,
  size: ListSize,
  { from, align }: { readonly from: ScrollPlace; readonly align: 'start' | 'end' | 'centre' | 'nearest' },
): ScrollPlace {
  const start = row * size.rowHeight
  const end = start + size.rowHeight - size.viewport
  if (align === 'start') return placeAt(start, size)
  if (align === 'end') return placeAt(end, size)
  if (align === 'centre') return placeAt((start + end) / 2, size)
  return placeAt(Math.max(end, Math.min(start, from.top)), size)
}

/** The place after somebody scrolled the element to `scrollTop`. */
export function placeAfterScroll(from: ScrollPlace, scrollTop: number, size: ListSize): ScrollPlace {
  const { real, shown } = ways(size)
  if (real === shown) return placeAt(scrollTop, size)
  if (scrollTop <= 0) return placeAt(0, size)
  if (scrollTop >= shown - 1) return placeAt(real, size)
  const step = scrollTop - from.scrollTop
  const isSmall = Math.abs(step) < 3 * size.viewport
  return placeAt(isSmall ? from.top + step : (scrollTop * real) / shown, size)
}

/** How far the list can be scrolled, really and as shown. */
function ways(size: ListSize): { readonly real: number; readonly shown: number } {
  const real = Math.max(0, size.rows * size.rowHeight - size.viewport)
  return { real, shown: Math.min(real, Math.max(0, shownHeight(size) - size.viewport)) }
}
