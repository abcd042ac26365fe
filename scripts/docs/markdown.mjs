/**
 * What a Markdown page refers to. Fenced code is not looked at: it shows what a reader may type, not what exists here.
 *
 * @typedef {{ text: string, line: number }} Reference
 */

const fence = /^ {0,3}(?<mark>`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\k<mark>[`~]*[ \t]*$|$(?![\s\S]))/gm
const codeSpan = /(?<!`)(?<ticks>`+)(?!`)(?<text>[\s\S]*?[^`])\k<ticks>(?!`)/g
const link = /!?\[(?:[^\][]|\[[^\][]*\])*\]\(\s*<?(?<address>[^)\s>]+)>?(?:\s+["'(][^\n]*?["')])?\s*\)/g
const definition = /^ {0,3}\[[^\]]+\]:\s*<?(?<address>[^\s>]+)>?/gm

/**
 * Back-ticked words without spaces.
 *
 * @param {string} page
 * @returns {Reference[]}
 */
export function pathsIn(page) {
  const text = blank(page, fence)
  return found(text, codeSpan, 'text').filter(reference => /^[^\s`]+$/.test(reference.text))
}

/**
 * Addresses of links within the repository.
 *
 * @param {string} page
 * @returns {Reference[]}
 */
export function linksIn(page) {
  const text = blank(blank(page, fence), codeSpan)
  return [...found(text, link, 'address'), ...found(text, definition, 'address')].filter(
    reference => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(reference.text),
  )
}

/**
 * The anchors of a page, made from its headings as GitHub makes them.
 *
 * @param {string} page
 */
export function anchorsIn(page) {
  const text = blank(page, fence)
  const anchors = new Set([...text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map(match => match[1]))
  for (const match of text.matchAll(/^ {0,3}#{1,6}[ \t]+(?<heading>.+?)(?:[ \t]+#+)?[ \t]*$/gm)) {
    const slug = slugOf(match.groups?.['heading'] ?? '')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** @param {string} heading */
function slugOf(heading) {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** @param {string} text @param {RegExp} pattern @param {string} group @returns {Reference[]} */
function found(text, pattern, group) {
  return [...text.matchAll(pattern)].map(match => ({
    text: match.groups?.[group] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }))
}

/** @param {string} text @param {RegExp} pattern */
function blank(text, pattern) {
  return text.replace(pattern, part => part.replace(/[^\n]/g, ' '))
}
