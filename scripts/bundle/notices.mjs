/** @import { Inlined } from './inlined.mjs' */

/**
 * `THIRD-PARTY-NOTICES.md`: whose work is in the bundle, and under which licence. The same text stands once for all that
 * share it.
 *
 * @param {readonly Inlined[]} packages
 */
export function noticesOf(packages) {
  /** @type {Map<string, Inlined[]>} */
  const groups = new Map()
  for (const each of packages) {
    const text = each.text ?? `The package ships no licence text; its manifest says: ${each.license}.`
    groups.set(text, [...(groups.get(text) ?? []), each])
  }
  const rows = packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`)
  const sections = [...groups].map(([text, members]) => {
    const title = members.map(({ name, version }) => `${name} ${version}`).join(', ')
    return `## ${title}\n\n${fenced(text)}`
  })
  return [
    '# Third-party notices',
    'The program contains parts of these packages. Each stands under its own licence.',
    ['| package | version | licence |', '|---|---|---|', ...rows].join('\n'),
    ...sections,
    '',
  ].join('\n\n')
}

/** With more marks than there are in the text. @param {string} text */
function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
