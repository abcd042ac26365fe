import { element, placed } from './element.ts'

export interface VirtualList {
  readonly node: HTMLElement
  /** Shows so many rows, from the top. */
  show(count: number): void
  /** Draws again what is in sight. */
  refresh(): void
}

/** Rows drawn above and below what is in sight, so that a quick scroll meets no gap. */
const margin = 12

/**
 * A list of rows of one height, of which only those in sight exist. The height is the custom property `--row` of the list,
 * in pixels, so that the style sheet can choose another for a narrow screen.
 */
export function virtualList(draw: (index: number) => HTMLElement): VirtualList {
  const rows = element('div', { class: 'rows' })
  const node = element('div', { class: 'events', role: 'list', tabindex: 0, 'aria-label': 'Events' }, [rows])
  let count = 0
  let drawn = ''

  const refresh = (): void => {
    const height = rowHeight(node)
    const first = Math.max(0, Math.floor(node.scrollTop / height) - margin)
    const last = Math.min(count, Math.ceil((node.scrollTop + node.clientHeight) / height) + margin)
    placed(rows, { height: `${count * height}px` })
    const range = `${first} ${last} ${height}`
    if (range === drawn) return
    drawn = range
    const inSight = Array.from({ length: Math.max(0, last - first) }, (_, at) =>
      placed(draw(first + at), { top: `${(first + at) * height}px` }),
    )
    rows.replaceChildren(...inSight)
  }
  node.addEventListener('scroll', refresh, { passive: true })
  window.addEventListener('resize', refresh, { passive: true })
  return {
    node,
    show(next) {
      count = next
      drawn = ''
      node.scrollTop = 0
      refresh()
    },
    refresh() {
      drawn = ''
      refresh()
    },
  }
}

function rowHeight(node: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(node).getPropertyValue('--row')) || 32
}
