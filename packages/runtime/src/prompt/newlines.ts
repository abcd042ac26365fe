/** Where the newlines that begin at `from` are over. */
export function afterNewlines(text: string, from: number): number {
  let at = from
  while (isNewline(text[at])) at++
  return at
}

/** Where the newlines that end at `to` begin. */
export function beforeNewlines(text: string, to: number): number {
  let at = to
  while (isNewline(text[at - 1])) at--
  return at
}

function isNewline(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}
