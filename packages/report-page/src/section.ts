import { type Child, element } from './element.ts'

export interface SectionHead {
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
