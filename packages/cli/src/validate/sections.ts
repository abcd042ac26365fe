import {
  type CodonBudget,
  type Forecast,
  type ForecastLimit,
  type ForecastRow,
  forecast,
  type LoadedHank,
  listEnvironment,
  type Observed,
  type ObservedCodon,
  type ObservedCosts,
  type Plan,
  type PlannedCodon,
  type PlannedItem,
  type PlannedLoop,
  type Prepared,
  type SharedBudget,
  type WorstCase,
} from '@weave/runtime'
import { durationText } from 'weave-client'
import { columns } from '../terminal.ts'

/** A line of the structure: `[2.1]`, name and id, model, prompt, budget. */
export interface StructureRow {
  readonly number: string
  readonly depth: number
  readonly title: string
  readonly facts: readonly string[]
}

/** A plan as a tree, in the order in which it runs. `prompts`: how long the files of its prompts are, by path. */
export function structure(plan: Plan, prompts: LoadedHank['prompts']): readonly StructureRow[] {
  const sentinelsOf = ({ id }: PlannedCodon): number =>
    (plan.sentinels ?? []).filter(({ codonId }) => codonId === id).length
  const serversOf = ({ id }: PlannedCodon) =>
    (plan.mcpServers ?? []).filter(({ codons }) => codons?.includes(id) ?? true)
  const codonRow = (codon: PlannedCodon, number: string, depth: number): StructureRow => ({
    number,
    depth,
    title: `${codon.name} (${codon.id})`,
    facts: [
      modelWords(codon),
      promptWords(codon, prompts),
      ...budgetWords(codon.budget),
      ...extras(codon, sentinelsOf(codon)),
      ...serversOf(codon).map(({ name }) => `tools of ${name}`),
    ],
  })
  const itemRows = (item: PlannedItem, at: number): readonly StructureRow[] => {
    const number = String(at + 1)
    if (item.kind === 'codon') return [codonRow(item, number, 0)]
    const inner = item.codons.map((codon, inLoop) => codonRow(codon, `${number}.${inLoop + 1}`, 1))
    return [loopRow(item, number), ...inner]
  }
  return plan.items.flatMap(itemRows)
}

export function structureLines(rows: readonly StructureRow[]): readonly string[] {
  const left = rows.map(({ number, depth, title }) => `${'    '.repeat(depth)}[${number}] ${title}`)
  const width = Math.min(48, Math.max(0, ...left.map(text => text.length)))
  return rows.map(({ facts }, at) => `  ${(left[at] ?? '').padEnd(width)}  ${facts.join(' · ')}`)
}

function modelWords({ model: { id, agent } }: PlannedCodon): string {
  if (agent !== undefined) return `${id} on ${agent} (ACP)`
  return id || 'no model'
}

function loopRow({ id, name, limit, budget }: PlannedLoop, number: string): StructureRow {
  const end = limit === null ? 'until the context is full' : limit === 1 ? 'once' : `${limit} times`
  return { number, depth: 0, title: `${name} (${id})`, facts: [`loop, ${end}`, ...budgetWords(budget)] }
}

function promptWords({ prompt }: PlannedCodon, prompts: LoadedHank['prompts']): string {
  if ('text' in prompt) return `prompt of ${lines(prompt.text.split('\n').length)}`
  const { files } = prompt
  const known = files.map(file => prompts.get(normalised(file))?.lines)
  const total = known.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  // The plan of an execution may name files that the hank does not have any more.
  if (known.includes(undefined)) return `prompt in ${files.join(', ')}`
  return `prompt of ${lines(total)}${files.length > 1 ? ` in ${files.length} files` : ''}`
}

function budgetWords(budget: CodonBudget | SharedBudget | undefined): readonly string[] {
  if (!budget) return []
  const words = [
    budget.maxDollars === undefined ? [] : [`$${budget.maxDollars}`],
    budget.maxTimeSeconds === undefined ? [] : [`${budget.maxTimeSeconds} s`],
    'maxOutputTokens' in budget && budget.maxOutputTokens !== undefined
      ? [`${budget.maxOutputTokens} output tokens`]
      : [],
    'maxContextTokens' in budget && budget.maxContextTokens !== undefined
      ? [`${budget.maxContextTokens} context tokens`]
      : [],
  ].flat()
  return words.length === 0 ? [] : [`at most ${words.join(', ')}`]
}

function extras(codon: PlannedCodon, sentinels: number): readonly string[] {
  const { continuation, rig, onFailure, retry, outputFiles } = codon
  return [
    continuation === 'continue-previous' ? ['continues'] : [],
    rig.length > 0 ? [`rig of ${rig.length}`] : [],
    sentinels > 0 ? [`${sentinels} sentinel${sentinels === 1 ? '' : 's'}`] : [],
    onFailure === 'retry' ? [`up to ${retry.maxAttempts} attempts`] : [],
    onFailure === 'ignore' ? ['failure ignored'] : [],
    outputFiles.length > 0 ? ['outputs'] : [],
  ].flat()
}

function lines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`
}

/** Prompts are known by their path without `./` and inner `..`. */
function normalised(file: string): string {
  return new URL(file, 'file:///').pathname.slice(1)
}

/** The MCP servers of the operator, as they are written; nothing when there are none. */
export function serverLines({ mcpServers = [] }: Plan): readonly string[] {
  if (mcpServers.length === 0) return []
  const rows = mcpServers.map(({ name, command, url, tools }) => [
    name,
    command?.join(' ') ?? url ?? '',
    tools ? `only ${tools.join(', ')}` : '',
  ])
  return ['MCP servers', ...columns(rows), '']
}

/** What can be said about money and time before a plan runs. */
export function forecastOf(plan: Plan, earlier?: ObservedCosts): Forecast {
  const observed = new Set((plan.sentinels ?? []).map(({ codonId }) => codonId))
  return forecast(plan, { observed, earlier })
}

/**
 * What each part of a plan may spend, where that limit comes from and what it took before, nothing when there is neither
 * a limit nor a past; then the worst case. `earlier`: what executions of this hank took.
 */
export function budgetLines(plan: Plan, earlier?: ObservedCosts): readonly string[] {
  const found = forecastOf(plan, earlier)
  const hasMore = found.rows.some(({ limits, observed }) => limits.length > 0 || observed !== undefined)
  return [
    ...(hasMore ? ['Budgets', ...columns(found.rows.flatMap(limitRows)), ''] : []),
    'Worst case',
    ...columns([
      ['dollars', worstWords(found.dollars, dollars)],
      ['time', worstWords(found.seconds, seconds)],
      ...(found.earlier ? [['before', earlierWords(found.earlier)]] : []),
    ]),
    '',
  ]
}

/** Label, amount and origin of each limit, in the words of the table of budgets. */
export function limitRows({ label, limits, observed }: ForecastRow): readonly (readonly string[])[] {
  const rows = limits.map(limit => [amountWords(limit), limit.origin])
  const past = observed ? [observedWords(observed)] : []
  const all = [...(rows.length > 0 ? rows : [['no limit']]), ...past]
  return all.map((row, at) => [at === 0 ? label : '', ...row])
}

/** `observed $0.8–$1.2`, `over 3 executions`. */
function observedWords({ dollars: money, executions }: ObservedCodon): readonly string[] {
  const range = money ? `${dollars(money.low)}–${dollars(money.high)}` : 'unknown cost'
  return [`observed ${range}`, `over ${executionsText(executions)}`]
}

function executionsText(count: number): string {
  return count === 1 ? '1 execution' : `${count} executions`
}

function amountWords({ currency, amount, most }: ForecastLimit): string {
  if (currency === 'dollars')
    return most === undefined ? dollars(amount) : `${dollars(amount)}, at most ${dollars(most)}`
  if (currency === 'seconds') return seconds(amount)
  return `${amount} ${currency === 'output-tokens' ? 'output tokens' : 'context tokens'}`
}

const mostReasons = 3

function worstWords(worst: WorstCase, words: (amount: number) => string): string {
  if (worst.kind === 'bounded') return `${words(worst.amount)}, and what is under way when a limit is reached`
  const { reasons } = worst
  const more = reasons.length - mostReasons
  const named = reasons.slice(0, mostReasons).join('; ')
  return `unbounded: ${named}${more > 0 ? `; and ${more} more like these` : ''}`
}

/** `$0.8 to $1.2, 3m 05s to 4m 10s in 3 executions`. */
export function earlierWords({ count, dollars: money, seconds: time }: Observed): string {
  const ranges = [
    money ? `${dollars(money.low)} to ${dollars(money.high)}` : 'cost unknown',
    ...(time ? [`${durationText(time.low * 1000)} to ${durationText(time.high * 1000)}`] : []),
  ]
  return `${ranges.join(', ')} in ${executionsText(count)}`
}

function dollars(amount: number): string {
  return `$${round(amount)}`
}

function seconds(amount: number): string {
  return `${round(amount)} s`
}

function round(amount: number): number {
  return Number(amount.toFixed(4))
}

/** Every setting with its value and where it came from, then the environment with secrets masked. */
export function settingLines(
  { settings, loaded, runtimeFile }: Prepared,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const rows = Object.entries(settings.sources).map(([field, { value, origin }]) => [
    field,
    JSON.stringify(value),
    origin,
    unread.has(field) ? 'nothing reads it' : '',
  ])
  const required = loaded.hank?.requirements?.env ?? []
  const variables = listEnvironment(environment, required).map(({ name, value }) => [name, value])
  return [
    `Settings${runtimeFile === undefined ? '' : ` (with ${runtimeFile})`}`,
    ...columns(rows),
    '',
    'Environment',
    ...(variables.length > 0 ? columns(variables) : ['  nothing that concerns a run']),
    '',
  ]
}

/** Settings that are accepted and change nothing. */
const unread: ReadonlySet<string> = new Set(['logParsingInterval'])
