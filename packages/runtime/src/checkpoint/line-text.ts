/**
 * Any text on one line of a commit message, and back: ids and names come from a hank and may hold anything. Ordinary
 * text stays as it is; line breaks, control characters, what is no text, spaces at the ends and `%` become `%XXXX`.
 */
export function toLine(text: string): string {
  return text.replace(special, part => Array.from(part, escaped).join(''))
}

export function fromLine(line: string): string {
  return line.replace(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

const special = /[\0-\x1F\x7F-\x9F%\u2028\u2029\uD800-\uDFFF]|^ +| +$/gu

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
