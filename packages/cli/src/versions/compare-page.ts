import type { Comparison } from '@weave/runtime'
import { harmless } from 'weave-client'
import { escaped, htmlPage } from '../html-page.ts'
import { codonLines, conversationLines } from './compare-rows.ts'
import { costLines, fileLines, headLines } from './compare-text.ts'

/** A comparison as one page for a browser: no script, nothing from elsewhere, light or dark as the reader has it. */
export function comparePage(comparison: Comparison): string {
  const { sides, files } = comparison
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Codons', codonLines(comparison, true)],
    ['Files', fileLines(comparison)],
    ...(files?.text ? [['Differences', files.text.bytes.toString('utf8').split('\n')] as const] : []),
    ['Conversation', conversationLines(comparison, { all: true, hasDiff: false })],
    ['Costs and time', costLines(comparison)],
  ]
  const title = `${sides.left.name} and ${sides.right.name} – weave compare`
  const sections = parts.map(([name, lines]) => `<h2>${name}</h2>\n<pre>${block(lines)}</pre>`)
  return htmlPage({
    title,
    style,
    body: [`<pre>${block(headLines(comparison))}</pre>`, ...sections].join('\n'),
  })
}

const style = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.2rem}h2{font-size:1rem;margin-top:2rem}pre{overflow-x:auto;font:13px/1.45 ui-monospace,monospace}
.less{color:#b00020}.more{color:#0a7d33}@media(prefers-color-scheme:dark){.less{color:#ff8a80}.more{color:#7ddf9a}}`

function block(lines: readonly string[]): string {
  return lines.map(line => marked(escaped(harmless(line)), line)).join('\n')
}

/** Lines of a difference, as a person knows them. */
function marked(text: string, line: string): string {
  const sign = /^(?: {4})?([-+])/.exec(line)?.[1]
  if (sign === undefined) return text
  return `<span class="${sign === '-' ? 'less' : 'more'}">${text}</span>`
}
