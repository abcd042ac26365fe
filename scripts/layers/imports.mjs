import { lineAt } from './scan.mjs'

/** @import { Scanned } from './scan.mjs' */

/**
 * One place where a file names another module. `typeOnly` imports vanish when the program runs, but they count:
 * a type from above is knowledge of what is above.
 *
 * @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import
 */

const names = String.raw`\{[^{}]*\}`
const clause = String.raw`(?:[\w$]+\s*,\s*)?(?:\*\s*as\s+[\w$]+|${names}|[\w$]+)`
const exported = String.raw`\*(?:\s*as\s+[\w$]+)?|${names}`
const literal = String.raw`(?<quote>['"\`])(?<blank> *)\k<quote>`

const forms = [
  new RegExp(
    String.raw`(?<![.\w$])import(?<type>\s+type\b(?!\s+from\b))?\s*${clause}\s*\bfrom\s*${literal}`,
    'g',
  ),
  new RegExp(String.raw`(?<![.\w$])export(?<type>\s+type\b)?\s*(?:${exported})\s*from\s*${literal}`, 'g'),
  new RegExp(
    String.raw`(?<![.\w$])(?<type>typeof\s+)?import\s*\(\s*${literal}\s*(?:,[^()]*)?\)(?<member>\s*\.\s*[\w$]+)?`,
    'g',
  ),
  new RegExp(String.raw`(?<![.\w$])import\s*${literal}`, 'g'),
]

const promiseMembers = new Set(['then', 'catch', 'finally'])
const exportAll = /(?<![.\w$])export\s+(?:type\s+)?\*/g

/** @param {Scanned} scanned @returns {Import[]} */
export function importsOf({ code, bare }) {
  const found = forms.flatMap(form =>
    [...bare.matchAll(form)].map(match => ({
      specifier: specifierOf(match, code),
      line: lineAt(bare, match.index),
      typeOnly: match.groups?.type !== undefined || isTypeMember(match.groups?.member),
    })),
  )
  return found.sort((a, b) => a.line - b.line)
}

/**
 * Lines with `export *`.
 *
 * @param {Scanned} scanned
 */
export function exportAllLines({ bare }) {
  return [...bare.matchAll(exportAll)].map(match => lineAt(bare, match.index))
}

/**
 * Strings are blank in the matched text; the name stands at the same place in the code.
 *
 * @param {RegExpExecArray} match
 * @param {string} code
 */
function specifierOf(match, code) {
  const blank = match.groups?.blank ?? ''
  const quote = match.groups?.quote ?? ''
  const start = match.index + match[0].indexOf(quote + blank + quote) + 1
  return code.slice(start, start + blank.length)
}

/**
 * `import('x').Name` is a type, `import('x').then` is not.
 *
 * @param {string | undefined} member
 */
function isTypeMember(member) {
  return member !== undefined && !promiseMembers.has(member.replace(/[\s.]/g, ''))
}
