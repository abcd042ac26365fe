import { cut, harmless } from 'weave-client'
import { plural } from '../../terminal.ts'
import { inertLine } from './github.ts'
import type { FoundProblem, Verdict } from './verdict.ts'

const mostRows = 50
/** A step summary of GitHub may have 1 MiB; other steps write into the same one. */
const mostBytes = 900_000

/** Verdicts for a summary: what is wrong as a table, what would run as a tree, and the worst case. */
export function markdownText(verdicts: readonly Verdict[]): string {
  return bounded(verdicts.map(hankPart))
}

function hankPart(verdict: Verdict): string {
  const { title, file, ok, counts, plan, problems } = verdict
  const fresh = problems.filter(({ isKnown }) => !isKnown)
  const known = problems.length - fresh.length
  const errors = fresh.filter(({ severity }) => severity === 'error').length
  const warnings = fresh.length - errors
  const found = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(known > 0 ? [`${known} in the baseline`] : []),
  ]
  const size = `${plural(counts.codons, 'codon')}, ${plural(counts.loops, 'loop')}`
  return [
    `### ${ok || errors === 0 ? '✅' : '❌'} ${inline(title)}`,
    '',
    `${inline(file)}: ${ok ? `valid, ${size}` : errors === 0 ? 'nothing new is wrong' : 'not valid'}${found.length > 0 ? `; ${found.join(', ')}` : ''}`,
    ...(fresh.length > 0 ? ['', ...problemTable(fresh)] : []),
    ...(plan.length > 0 ? ['', ...folded('Plan and worst case', planLines(plan))] : []),
  ].join('\n')
}

const mostPlanLines = 500
const longestLine = 300

function planLines(plan: readonly string[]): readonly string[] {
  const more = plan.length - mostPlanLines
  const shown = plan.slice(0, mostPlanLines).map(line => cut(line, longestLine))
  return more > 0 ? [...shown, `… and ${more} more lines`] : shown
}

/** Under a heading that unfolds. */
export function folded(heading: string, lines: readonly string[]): readonly string[] {
  return [`<details><summary>${heading}</summary>`, '', fenced(lines), '', '</details>']
}

function problemTable(problems: readonly FoundProblem[]): readonly string[] {
  const more = problems.length - mostRows
  return [
    '| | where | rule | what is wrong |',
    '|---|---|---|---|',
    ...problems.slice(0, mostRows).map(problemRow),
    ...(more > 0 ? ['', `And ${more} more.`] : []),
  ]
}

function problemRow({ severity, code, where, message, file, place }: FoundProblem): string {
  const at = place ? `${file}:${place.line}:${place.column}` : file
  const text = where === '' ? message : `${where}: ${message}`
  return `| ${severity === 'error' ? '❌' : '⚠️'} | ${inline(at)} | ${inline(code)} | ${inline(cut(text, longestCell))} |`
}

const longestCell = 2_000

/** Text that means nothing to Markdown, HTML or GitHub, on one line: no tag, no link, no mention, no cell of its own. */
export function inline(text: string): string {
  return harmless(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]#!|~$]|^:/g, '\\$&')
    .replaceAll('@', '&#64;')
}

/** Lines as they are, in a fence that nothing inside can close. */
export function fenced(lines: readonly string[]): string {
  const text = lines.map(line => inertLine(harmless(line.replace(/\s*[\r\n]+\s*/g, ' ')))).join('\n')
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${text}\n${fence}`
}

/** As many whole parts as a summary may hold. */
export function bounded(parts: readonly string[]): string {
  let room = mostBytes
  const shown: string[] = []
  for (const part of parts) {
    room -= Buffer.byteLength(part) + 2
    if (room < 0) break
    shown.push(part)
  }
  const more = parts.length - shown.length
  return `${[...shown, ...(more > 0 ? [`${more} more are left out: a summary may hold no more.`] : [])].join('\n\n')}\n`
}
