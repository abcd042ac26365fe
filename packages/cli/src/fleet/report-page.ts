import { dollarsText, harmlessLine } from 'weave-client'
import type { BatchReport } from 'weave-fleet'
import { escaped, htmlPage } from '../html-page.ts'

/** A batch as one page for a browser: no script, nothing from elsewhere. */
export function reportPage({ batch, executions, costs, failures }: BatchReport): string {
  const counts = Object.entries(batch.counts).map(([state, count]) => `${count} ${state}`)
  const spent = dollarsText(batch.spentDollars, { unknown: !batch.isCostKnown })
  const body = `<p>${cellText(batch.id)}: ${cellText(counts.join(', '))}. Spent ${cellText(spent)}.</p>
${
  failures.length === 0
    ? ''
    : `<h2>What failed, and why</h2>\n${table(
        ['State', 'Reason', 'Executions'],
        failures.map(({ state, reason, executions: ids }) => [
          state,
          reason,
          `${ids.length}: ${ids.join(' ')}`,
        ]),
      )}`
}
${
  costs.length === 0
    ? ''
    : `<h2>Costs by codon and model</h2>\n${table(
        ['Codon', 'Model', 'Attempts', 'In', 'Out', 'Cache write', 'Cache read', 'Cost'],
        costs.map(row => [
          row.codon,
          row.model,
          ...[row.attempts, row.in, row.out, row.cacheWrite, row.cacheRead].map(String),
          dollarsText(row.dollars, { unknown: !row.isKnown }),
        ]),
      )}`
}
<h2>Executions</h2>
${table(
  ['N', 'Name', 'State', 'Reason', 'Turns', 'Codons', 'Cost', 'Ended'],
  executions.map(each => [
    String(each.n),
    each.name,
    each.state,
    each.reason ?? '',
    String(each.epoch),
    String(each.codonsDone),
    dollarsText(each.dollars),
    each.ended ?? '',
  ]),
)}`
  return htmlPage({ title: harmlessLine(batch.name, longestCell), style, body })
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8884;vertical-align:top;overflow-wrap:anywhere}`

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map(cell => `<${tag}>${cellText(cell)}</${tag}>`).join('')}</tr>`
  return `<table>\n<thead>${line(heads, 'th')}</thead>\n<tbody>\n${rows.map(row => line(row, 'td')).join('\n')}\n</tbody>\n</table>`
}

const longestCell = 10_000

/** Names and reasons come from hanks and providers. */
function cellText(text: string): string {
  return escaped(harmlessLine(text, longestCell))
}
