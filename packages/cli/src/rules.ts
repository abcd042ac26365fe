import { basename, resolve } from 'node:path'
import {
  createRuleMatcher,
  errorsOf,
  type Firing,
  formatProblem,
  loadPatterns,
  type RuleSetting,
  readEvents,
  readRuntimeFile,
} from '@weave/runtime'
import { clockText, harmless } from 'weave-client'
import { chooseExecution } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { columns, plural, type Terminal } from './terminal.ts'

/** `weave rules test [execution...]`: when the rules of a `weave.json` would have fired in runs that are recorded. */
export async function rulesCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [word, ...names] = args.positionals
  if (word !== 'test') {
    terminal.error('Write: weave rules test [execution...]')
    return exitCodes.usage
  }
  const rules = await rulesOf(args, terminal)
  if (!rules) return exitCodes.failed
  const isJson = args.switches.has('json')
  const totals = new Map(rules.map(({ id }) => [id, 0]))
  const rows: object[] = []
  const words = names.length === 0 ? [undefined] : names
  for (const name of words) {
    const chosen = await chooseExecution(args, terminal, { word: name })
    if (!chosen.ok) return chosen.code
    const { layout } = chosen
    const firings = await firingsIn(layout, rules, message => terminal.error(message))
    for (const { rule } of firings) totals.set(rule.id, (totals.get(rule.id) ?? 0) + 1)
    rows.push(...firings.map(firing => rowOf(basename(layout.dir), firing)))
    if (!isJson) for (const line of firingLines(firings)) terminal.out(line)
  }
  if (isJson) terminal.json(JSON.stringify(rows, null, 2))
  else for (const line of totalLines(totals, words.length)) terminal.out(line)
  return exitCodes.done
}

/** Of the file that `--rules` names, otherwise of the `weave.json` here. */
async function rulesOf(
  { texts }: Arguments,
  terminal: Terminal,
): Promise<readonly RuleSetting[] | undefined> {
  const named = texts.rules ?? texts['runtime-config']
  const file = await readRuntimeFile({
    workingDirectory: process.cwd(),
    ...(named !== undefined && { named: resolve(named) }),
  })
  for (const problem of file.problems) terminal.error(formatProblem(problem))
  if (errorsOf(file.problems).length > 0) return undefined
  const { rules = [] } = file
  if (rules.length > 0) return rules
  terminal.error(
    file.path === undefined
      ? 'There is no weave.json here. Name a file with rules: weave rules test --rules <file>'
      : `${file.path} has no rules. docs/rules.md shows how they are written.`,
  )
  return undefined
}

type Layout = Parameters<typeof readEvents>[0]

async function firingsIn(
  layout: Layout,
  rules: readonly RuleSetting[],
  damaged: (message: string) => void,
): Promise<readonly Firing[]> {
  const matcher = createRuleMatcher(rules, await loadPatterns())
  const firings: Firing[] = []
  for await (const { event } of readEvents(layout, {}, ({ message }) => damaged(message)))
    firings.push(...matcher.add(event))
  return firings
}

function rowOf(execution: string, { rule, codonId, hits, evidence, seq, timestamp }: Firing): object {
  return { execution, rule: rule.id, do: rule.do, codonId, hits, evidence, seq, timestamp }
}

function firingLines(firings: readonly Firing[]): readonly string[] {
  if (firings.length === 0) return ['  no rule would have fired']
  return columns(
    firings.map(({ rule, codonId, hits, evidence, timestamp }) => [
      clockText(timestamp),
      rule.do,
      rule.id,
      harmless(codonId),
      `${plural(hits, 'hit')}: seq ${evidence.join(', ')}`,
    ]),
  )
}

function totalLines(totals: ReadonlyMap<string, number>, executions: number): readonly string[] {
  const rows = [...totals].map(([id, count]) => [id, `would have fired ${plural(count, 'time')}`])
  return ['', `In ${plural(executions, 'execution')}:`, ...columns(rows)]
}
