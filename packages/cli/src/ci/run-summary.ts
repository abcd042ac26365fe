import type { ReportAttempt, ReportBudget, ReportData } from '@weave/protocol'
import { codonStatusWords, dollarsText, durationText } from 'weave-client'
import { plural } from '../terminal.ts'
import { bounded, fenced, folded, inline } from '../validate/formats/markdown.ts'

/** What came out of a run, for the page of a build: codons, budgets, changes, and what failed first. Pure. */
export function runMarkdown(data: ReportData, lastLines: readonly string[]): string {
  const { hank, status, totals, execution } = data
  const isGood = status === 'completed'
  const cost = dollarsText(totals.cost, { unknown: totals.isCostUnknown })
  const simulated = execution.isRehearsal ? ' (simulated: the model was a script)' : ''
  return bounded([
    [
      `### ${isGood ? '✅' : '❌'} ${inline(hank.name)}`,
      '',
      `${inline(status)}, ${inline(cost)}${simulated}, ${inline(durationText(totals.durationMs))}${data.reason === undefined ? '' : `: ${inline(data.reason)}`}`,
    ].join('\n'),
    codonTable(data).join('\n'),
    ...budgetPart(data.budgets),
    ...changesPart(data),
    ...failurePart(data, lastLines),
  ])
}

const mostRows = 200

/** One row for each codon of the last run: the last of its attempts counts. */
function codonTable({ runs }: ReportData): readonly string[] {
  const attempts = runs.flatMap(run => run.attempts).filter(({ isUndone }) => !isUndone)
  const byCodon = new Map<string, ReportAttempt>(attempts.map(attempt => [attempt.codonId, attempt]))
  const rows = [...byCodon.values()].map(({ codonId, status, attempt, model }) => {
    const own = attempts.filter(each => each.codonId === codonId)
    const cost = own.reduce((sum, each) => sum + each.cost, 0)
    const time = own.reduce((sum, each) => sum + each.durationMs, 0)
    const unknown = own.some(({ isCostUnknown }) => isCostUnknown)
    const cells = [
      codonId,
      codonStatusWords[status],
      String(attempt),
      dollarsText(cost, { unknown }),
      durationText(time),
      model,
    ]
    return `| ${cells.map(inline).join(' | ')} |`
  })
  const more = rows.length - mostRows
  return [
    '| codon | status | attempts | cost | time | model |',
    '|---|---|---|---|---|---|',
    ...rows.slice(0, mostRows),
    ...(more > 0 ? ['', `And ${more} more.`] : []),
  ]
}

function budgetPart(budgets: readonly ReportBudget[]): readonly string[] {
  if (budgets.length === 0) return []
  const rows = budgets.slice(0, mostRows).map(({ name, source, currency, limit, used }) => {
    const amount = (value: number) =>
      currency === 'dollars' ? dollarsText(value) : `${Math.round(value)} ${currency}`
    return `| ${[name, source].map(inline).join(' | ')} | ${bar(used / limit)} | ${inline(amount(used))} of ${inline(amount(limit))} |`
  })
  return [['| budget | from | | used |', '|---|---|---|---|', ...rows].join('\n')]
}

const barWidth = 10

function bar(part: number): string {
  const full = Number.isFinite(part) ? Math.max(0, Math.min(barWidth, Math.round(part * barWidth))) : barWidth
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`
}

const mostFiles = 50

/** What the run changed, as `git diff --stat` says it; the newest version of a file counts. */
function changesPart({ checkpoints }: ReportData): readonly string[] {
  const files = new Map<string, { added: number; gone: number }>()
  for (const { files: changed, isUndone } of checkpoints.items) {
    if (isUndone) continue
    for (const { path, additions = 0, deletions = 0 } of changed) {
      const known = files.get(path) ?? { added: 0, gone: 0 }
      files.set(path, { added: known.added + additions, gone: known.gone + deletions })
    }
  }
  if (files.size === 0) return []
  const lines = [...files].map(([path, { added, gone }]) => `+${added} -${gone}  ${path}`)
  const more = lines.length - mostFiles
  return [
    folded(`${plural(files.size, 'file')} changed`, [
      ...lines.slice(0, mostFiles),
      ...(more > 0 ? [`… and ${more} more`] : []),
    ]).join('\n'),
  ]
}

function failurePart({ runs }: ReportData, lines: readonly string[]): readonly string[] {
  const failed = runs.at(-1)?.attempts.find(({ status }) => status === 'failed')
  if (!failed) return []
  const why = failed.reason === undefined ? '' : `: ${inline(failed.reason)}`
  const heading = `**${inline(failed.codonId)} failed**${why}`
  return [lines.length === 0 ? heading : `${heading}\n\n${fenced(lines)}`]
}
