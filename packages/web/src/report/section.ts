import { type Child, element } from '../parts/element.ts'

interface SectionHead {
  readonly id: string
  readonly title: string
  /** Small, beside the title. */
  readonly aside?: string | undefined
}

export function section({ id, title, aside }: SectionHead, children: readonly Child[]): HTMLElement {
  const heading = element('h2', { id: `${id}-title` }, [title])
  const note = aside !== undefined && element('p', { class: 'aside' }, [aside])
  return element('section', { id, class: 'card', 'aria-labelledby': `${id}-title` }, [
    element('div', { class: 'card-head' }, [heading, note]),
    ...children,
  ])
}

/** Says that something is missing, so that nobody takes a part for the whole. */
export function leftOutNote(count: number, what: string): Child {
  return (
    count > 0 &&
    element('p', { class: 'note' }, [`${count.toLocaleString('en')} older ${what} are not in this report.`])
  )
}

/** `2026-01-31 12:00:05`, in UTC as everywhere in the program. */
export function timeText(time: string | number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 19).replace('T', ' ')
}
