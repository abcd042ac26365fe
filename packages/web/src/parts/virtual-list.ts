import { element, placed } from './element.ts'
import {
  type ListSize,
  placeAfterScroll,
  placeAt,
  placeOfRow,
  type ScrollPlace,
  shownHeight,
} from './scroll-place.ts'

export interface VirtualListOptions {
  /** What assistive programs call the list. */
  readonly label: string
  readonly role: 'list' | 'table'
  readonly draw: (index: number) => HTMLElement
  /** Two equal answers for a row mean that it need not be drawn again. Absent: a row in sight stays until `refresh`. */
  readonly keyOf?: (index: number) => string
  /** Which rows are drawn, after every change of it; `byPerson`: because somebody scrolled. */
  readonly onRange?: (range: RowRange, byPerson: boolean) => void
}

export interface RowRange {
  readonly first: number
  /** Behind the last. */
  readonly end: number
  readonly atEnd: boolean
}

export interface VirtualList {
  readonly node: HTMLElement
  /** Shows so many rows; the place stays unless it is said where to go. */
  show(count: number, go?: 'start' | 'end'): void
  goTo(index: number, align: 'start' | 'end' | 'centre' | 'nearest'): void
  /** Moves by so many pixels. */
  move(pixels: number): void
  /** Draws again what is in sight. */
  refresh(): void
  range(): RowRange
  close(): void
}

/** Rows drawn above and below what is in sight, so that a quick scroll meets no gap. */
const margin = 12

interface Drawn {
  readonly node: HTMLElement
  readonly key: string
}

/**
 * A list of rows of one height, of which only those in sight exist. The height is the custom property `--row` of the list,
 * in pixels, so that the style sheet can choose another for a narrow screen. The list keeps its place in real pixels and
 * may be longer than what a browser can draw.
 */
export function virtualList(options: VirtualListOptions): VirtualList {
  const rows = element('div', { class: 'rows', role: 'presentation' })
  const attributes = { class: 'events', role: options.role, tabindex: 0, 'aria-label': options.label }
  const node = element('div', attributes, [rows])
  let count = 0
  let place: ScrollPlace = { top: 0, scrollTop: 0 }
  let drawn = new Map<number, Drawn>()
  /** Rows of an older one are drawn again. */
  let version = 0
  let range: RowRange = { first: 0, end: 0, atEnd: true }

  const size = (): ListSize => ({ rows: count, rowHeight: rowHeight(node), viewport: node.clientHeight })

  const draw = (byPerson: boolean): void => {
    const now = size()
    range = rangeOf(place, now)
    const offset = node.scrollTop - place.top
    drawn = drawRange({ range, drawn, version, options, rows }, index => offset + index * now.rowHeight)
    options.onRange?.(range, byPerson)
  }
  const go = (next: ScrollPlace, byPerson = false): void => {
    placed(rows, { height: `${shownHeight(size())}px` })
    if (Math.abs(node.scrollTop - next.scrollTop) >= 1) node.scrollTop = next.scrollTop
    // The browser rounds: what it made of it is what the next step is measured from.
    place = { top: next.top, scrollTop: node.scrollTop }
    draw(byPerson)
  }
  const onScroll = (): void => {
    if (node.scrollTop !== place.scrollTop) go(placeAfterScroll(place, node.scrollTop, size()), true)
  }
  const onResize = (): void => go(placeAt(place.top, size()))
  node.addEventListener('scroll', onScroll, { passive: true })
  const observer = new ResizeObserver(onResize)
  observer.observe(node)
  return {
    node,
    show(next, where) {
      count = next
      if (options.role === 'table') node.setAttribute('aria-rowcount', String(next))
      const top = where === undefined ? place.top : where === 'start' ? 0 : Number.MAX_SAFE_INTEGER
      if (where === 'start') version += 1
      go(placeAt(top, size()))
    },
    goTo: (index, align) => go(placeOfRow(index, size(), { from: place, align })),
    move: pixels => go(placeAt(place.top + pixels, size()), true),
    refresh() {
      version += 1
      draw(false)
    },
    range: () => range,
    close: () => observer.disconnect(),
  }
}

function rangeOf({ top }: ScrollPlace, { rows, rowHeight, viewport }: ListSize): RowRange {
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - margin),
    end: Math.min(rows, Math.ceil((top + viewport) / rowHeight) + margin),
    atEnd: top + viewport >= rows * rowHeight - rowHeight / 2,
  }
}

interface Drawing {
  readonly range: RowRange
  readonly drawn: ReadonlyMap<number, Drawn>
  readonly version: number
  readonly options: VirtualListOptions
  readonly rows: HTMLElement
}

/** Rows that are drawn already stay the same elements, so that the focus stays, too. */
function drawRange(
  { range, drawn, version, options, rows }: Drawing,
  topOf: (index: number) => number,
): Map<number, Drawn> {
  const next = new Map<number, Drawn>()
  for (let index = range.first; index < range.end; index++) {
    const key = `${version} ${options.keyOf?.(index) ?? ''}`
    const known = drawn.get(index)
    const row = known?.key === key ? known : { node: options.draw(index), key }
    placed(row.node, { top: `${topOf(index)}px` })
    if (known && known !== row && known.node.contains(document.activeElement)) focusLater(row.node)
    next.set(index, row)
  }
  const nodes = [...next.values()].map(row => row.node)
  for (const { node } of drawn.values()) if (!nodes.includes(node)) node.remove()
  for (const [at, node] of nodes.entries()) {
    if (rows.children.item(at) !== node) rows.insertBefore(node, rows.children.item(at))
  }
  return next
}

function focusLater(node: HTMLElement): void {
  queueMicrotask(() => node.focus({ preventScroll: true }))
}

function rowHeight(node: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(node).getPropertyValue('--row')) || 32
}
