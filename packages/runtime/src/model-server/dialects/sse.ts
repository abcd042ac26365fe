/** One server-sent event. */
export function sseEvent(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

const fewestCharacters = 24
const mostPieces = 16

/** A text in pieces, as a model would send it: at least one, and not many however long it is. */
export function pieces(text: string): readonly string[] {
  const size = Math.max(fewestCharacters, Math.ceil(text.length / mostPieces))
  const found: string[] = []
  let start = 0
  while (start < text.length) {
    const end = wholeCharacter(text, start + size)
    found.push(text.slice(start, end))
    start = end
  }
  return found.length > 0 ? found : ['']
}

/** The same place, or the next when it would cut a character of two units in half. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
