/** What a piece of text means; the theme says how that looks. Nothing is said by colour alone. */
export type Style =
  | 'plain'
  | 'dim'
  | 'bold'
  | 'good'
  | 'bad'
  | 'warn'
  | 'accent'
  | 'match'
  | 'bar'
  | 'badge'
  | 'added'
  | 'removed'

export interface Span {
  readonly text: string
  readonly style?: Style
}

/** One line of a panel, before it is cut to a width. */
export type Line = readonly Span[]

export function line(...spans: readonly (Span | string | undefined)[]): Line {
  return spans.flatMap(span => {
    if (span === undefined || span === '') return []
    return typeof span === 'string' ? [{ text: span }] : [span]
  })
}

export function span(text: string, style: Style = 'plain'): Span {
  return { text, style }
}
