import { createHash } from 'node:crypto'
import type { PageParts } from './page-parts.ts'

/** How every report begins: by it a report is told from a file that must not be overwritten. */
export const pageMark = '<!doctype html>\n<!-- weave report -->'

export interface PageContent {
  readonly title: string
  readonly data: object
  readonly events: object
}

/**
 * One page that needs nothing else. Its policy allows exactly this script and this style, by their hashes, and nothing from
 * anywhere; the data are no markup and no script. They stand around the script in the order in which they are needed.
 */
export function reportPage({ title, data, events }: PageContent, { script, style }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return [
    pageMark,
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This report needs JavaScript, which runs in the page and fetches nothing.</noscript>',
    embedded('report-data', data),
    `<script>${script}</script>`,
    embedded('report-events', events),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** JSON in which nothing can end its element or begin another. */
function embedded(id: string, value: object): string {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, unicode)
  return `<script type="application/json" id="${id}">${json}</script>`
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, character => `&#${character.charCodeAt(0)};`)
}
