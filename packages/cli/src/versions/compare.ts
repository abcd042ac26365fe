import { resolve } from 'node:path'
import {
  type Comparison,
  compare,
  comparisonJson,
  isSame,
  type ReadPlace,
  readPlace,
  systemClock,
} from '@weave/runtime'
import { paintDiff } from '../colour.ts'
import { executionBaseOf, findExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { writeWhole } from '../write-file.ts'
import { codonLines, conversationLines } from './compare-rows.ts'
import { costLines, fileLines, headLines } from './compare-text.ts'

/** `weave compare <a>[@checkpoint] <b>[@checkpoint]`: two executions held against each other. */
export async function compareCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { positionals, switches, texts } = args
  const [one, other, more] = positionals
  const hasDiff = switches.has('compare-diff')
  // Whoever asks by exit code must be able to tell that nothing could be compared.
  const unknown = switches.has('exit-code') ? exitCodes.usage : exitCodes.failed
  if (one === undefined || other === undefined || more !== undefined) {
    terminal.error('Name two executions: weave compare <a>[@checkpoint] <b>[@checkpoint]')
    return exitCodes.usage
  }
  const left = await sideOf(one, args)
  const right = left.ok ? await sideOf(other, args) : left
  if (!left.ok || !right.ok) {
    terminal.error(left.ok ? (right.ok ? '' : right.message) : left.message)
    return unknown
  }
  const around = hasDiff ? mostSteps : stepsAround
  const result = await compare({ left: left.side, right: right.side, text: hasDiff, around })
  if (!result.ok) {
    terminal.error(`${result.message}\n${result.cure}`)
    return unknown
  }
  const { comparison } = result
  if (texts.html !== undefined) {
    const { comparePage } = await import('./compare-page.ts')
    const path = resolve(texts.html)
    const problem = await writeWhole(path, comparePage(comparison))
    terminal.error(problem ?? `Written to ${path}`)
    if (problem !== undefined) return unknown
  }
  if (switches.has('json')) terminal.json(JSON.stringify(comparisonJson(comparison), null, 2))
  else if (texts.html === undefined) print(comparison, switches, terminal)
  if (!switches.has('exit-code')) return exitCodes.done
  return isSame(only(comparison, switches)) ? exitCodes.done : exitCodes.failed
}

/** Steps before and after the first difference. */
const stepsAround = 3
const mostSteps = 200

type Switches = Arguments['switches']
type Part = 'compare-files' | 'compare-conversation' | 'compare-costs'

function wants(switches: Switches, part: Part | 'codons'): boolean {
  const asked = (['compare-files', 'compare-conversation', 'compare-costs'] as const).filter(each =>
    switches.has(each),
  )
  return asked.length === 0 || (part !== 'codons' && asked.includes(part))
}

/** What the answer is about: all of it, or the part that was asked for. */
function only(comparison: Comparison, switches: Switches): Comparison {
  const { files, ...rest } = comparison
  return {
    ...rest,
    codons: wants(switches, 'codons') || switches.has('compare-costs') ? comparison.codons : [],
    ...(files && wants(switches, 'compare-files') && { files }),
    conversation: wants(switches, 'compare-conversation') ? comparison.conversation : [],
  }
}

type Found =
  | { readonly ok: true; readonly side: { readonly place: ReadPlace; readonly at?: string } }
  | { readonly ok: false; readonly message: string }

/** A name may have an @ in it, so it is taken as a whole first. */
async function sideOf(word: string, args: Arguments): Promise<Found> {
  const surroundings = { executionBaseDir: await executionBaseOf(args), workingDirectory: process.cwd() }
  const cut = word.lastIndexOf('@')
  const whole = await findExecution(word, surroundings)
  const named = whole.ok || cut <= 0 ? whole : await findExecution(word.slice(0, cut), surroundings)
  if (!named.ok) return whole.ok ? named : whole
  const read = await readPlace({ layout: named.layout, environment: process.env, clock: systemClock })
  if (!read.ok) return { ok: false, message: `${read.message}\n${read.cure}` }
  const { place } = read
  return { ok: true, side: { place, ...(!whole.ok && { at: word.slice(cut + 1) }) } }
}

function print(comparison: Comparison, switches: Switches, terminal: Terminal): void {
  const all = switches.has('compare-all')
  const hasDiff = switches.has('compare-diff')
  for (const line of headLines(comparison)) terminal.out(line)
  if (wants(switches, 'codons')) for (const line of codonLines(comparison, all)) terminal.out(line)
  if (wants(switches, 'compare-files')) {
    for (const line of fileLines(comparison)) terminal.out(line)
    const text = comparison.files?.text
    if (hasDiff && text) terminal.out(text.bytes.toString('utf8').trimEnd(), paintDiff)
    if (hasDiff && text?.isCut) terminal.error('There is more than can be shown.')
  }
  if (wants(switches, 'compare-conversation'))
    for (const line of conversationLines(comparison, { all, hasDiff })) terminal.out(line)
  if (wants(switches, 'compare-costs')) for (const line of costLines(comparison)) terminal.out(line)
  terminal.out('')
  terminal.out(
    isSame(only(comparison, switches)) ? 'They are the same, but for times.' : 'They are different.',
  )
}
