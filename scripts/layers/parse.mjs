import { parseSync, Visitor } from 'oxc-parser'

/** @import { RepoFile } from '../layers.mjs' */

/**
 * One place where a file names another module. `typeOnly` imports vanish when the program runs, but they count:
 * a type from above is knowledge of what is above.
 *
 * @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import
 */

/**
 * What the rules ask of the code of a file. `exportsAll` and `anys` are lines.
 *
 * @typedef {object} Parsed
 * @property {Import[]} imports
 * @property {number[]} exportsAll
 * @property {number[]} anys
 * @property {{ offset: number, text: string }[]} comments
 * @property {{ line: number, message: string }[]} errors
 */

/** @param {RepoFile} file @returns {Parsed} */
export function parse({ path, text }) {
  const { program, comments, errors } = parseSync(path, text)
  /** @type {Parsed} */
  const found = {
    imports: [],
    exportsAll: [],
    anys: [],
    comments: comments.map(({ start, end }) => ({ offset: start, text: text.slice(start, end) })),
    errors: errors.map(({ message, labels }) => ({ line: lineAt(text, labels[0]?.start ?? 0), message })),
  }
  /** @param {{ start: number }} node @param {import('oxc-parser').Expression | null} source @param {boolean} typeOnly */
  const take = ({ start }, source, typeOnly) => {
    const specifier = source && textOf(source)
    if (typeof specifier === 'string') found.imports.push({ specifier, line: lineAt(text, start), typeOnly })
  }
  new Visitor({
    ImportDeclaration: node => take(node, node.source, node.importKind === 'type'),
    ImportExpression: node => take(node, node.source, false),
    TSImportType: node => take(node, node.source, true),
    ExportNamedDeclaration: node => take(node, node.source, node.exportKind === 'type'),
    ExportAllDeclaration: node => {
      take(node, node.source, node.exportKind === 'type')
      found.exportsAll.push(lineAt(text, node.start))
    },
    TSAnyKeyword: node => found.anys.push(lineAt(text, node.start)),
  }).visit(program)
  return found
}

/**
 * A text that is written out; what is put together when the program runs names no module.
 *
 * @param {import('oxc-parser').Expression} source
 */
function textOf(source) {
  if (source.type === 'Literal') return source.value
  return source.type === 'TemplateLiteral' && source.expressions.length === 0
    ? source.quasis[0]?.value.cooked
    : undefined
}

/** @param {string} text @param {number} offset */
export function lineAt(text, offset) {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/**
 * JSON that may have comments.
 *
 * @param {string} text
 */
export function parseJsonWithComments(text) {
  const { comments } = parseSync('config.js', `(${text})`)
  const json = comments.reduceRight(
    (rest, { start, end }) => rest.slice(0, start - 1) + rest.slice(end - 1),
    text,
  )
  return JSON.parse(json)
}
