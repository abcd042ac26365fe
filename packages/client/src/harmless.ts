/**
 * Text from outside, made safe to show: newline, tab and printable characters stay; every other control character, and
 * every character that is invisible or reorders its neighbours (zero-width, bidi, tags), is spelled out as `\u{…}`.
 * Applying it twice changes nothing more.
 */
export function harmless(text: string): string {
  return plain.test(text) ? text : text.replace(hidden(), spelled)
}

/** ASCII, European letters, the usual punctuation, arrows and lines: most texts have nothing else, and nothing of it is hidden. */
const plain = /^[\t\n\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u257f]*$/

/**
 * Controls, format characters, lone surrogates, line and paragraph separators, everything that Unicode calls ignorable,
 * non-characters. The emoji selector stays where it does what it is for: right after a pictograph. Made when it is needed:
 * its classes take longer to look up than all the rest of a small command.
 */
function hidden(): RegExp {
  hiddenCharacters ??=
    /(?![\n\t])(?:(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}])/gu
  return hiddenCharacters
}

let hiddenCharacters: RegExp | undefined

/** JSON with the same meaning and nothing in it that a terminal obeys: what `harmless` spells out is escaped. */
export function harmlessJson(json: string): string {
  return plain.test(json) ? json : json.replace(hidden(), escaped)
}

function escaped(found: string): string {
  return Array.from({ length: found.length }, (_, at) => unitText(found.charCodeAt(at))).join('')
}

function unitText(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

function spelled(found: string): string {
  return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`
}

/** The same on one line and at most `max` characters long. */
export function harmlessLine(text: string, max = 200): string {
  const line = harmless(cut(text, max * 2))
    .replace(/\s+/g, ' ')
    .trim()
  return cut(line, max)
}

/** At most `max` characters; a text that was longer ends in `…`. Never cuts a character in half. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, Math.max(0, max - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`
}
