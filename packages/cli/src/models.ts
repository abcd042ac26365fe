import { homedir } from 'node:os'
import { additionsOf, createRegistry, formatProblem, listModels, type ModelRow } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { columns, type Terminal } from './terminal.ts'

/** `weave models [filter]`: which models there are, what they cost and whose key is there. */
export async function modelsCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { registry, problems } = await createRegistry({ additions: additionsOf({ home: homedir() }) })
  for (const problem of problems) terminal.error(formatProblem(problem))
  const all = listModels(registry, { environment: process.env, filter: args.positionals[0] })
  const rows = all.toSorted(mineFirst)
  if (args.switches.has('json')) terminal.json(JSON.stringify(rows, null, 2))
  else for (const line of columns([heads, ...rows.map(cells)], '')) terminal.out(line)
  const open = [...registry.custom.values()]
    .filter(({ isOpen, baseUrl }) => isOpen && baseUrl !== undefined)
    .map(({ name }) => name)
  const others = `Any other name after ${open.map(name => `${name}/`).join(', ')}: the server there knows its models.`
  if (rows.length > 0 && !args.switches.has('json'))
    for (const line of ['', ...legend, others]) terminal.out(line)
  if (rows.length === 0) terminal.error(`No model contains "${args.positionals[0] ?? ''}".`)
  return rows.length === 0 ? exitCodes.failed : exitCodes.done
}

const heads = ['MODEL', 'ALIAS', 'WINDOW', 'IN', 'OUT', 'CACHE READ', 'CACHE WRITE', 'AGENT', 'KEY']
const agents = { sdk: 'claude', embedded: 'pi', acp: 'acp' } as const
const legend = [
  'Prices in US dollars for a million tokens; "?" is a price that is not known. KEY: whether one is in the environment.',
  'AGENT: claude is the Claude Agent SDK, pi the Pi SDK. Agents that speak ACP take a model as acp/<agent>/<model>: gemini, opencode, codex, claude.',
]

/** Whose key is there, then those with an alias, then by name. */
function mineFirst(left: ModelRow, right: ModelRow): number {
  const rank = ({ hasCredential, aliases }: ModelRow): number =>
    (hasCredential ? 0 : 2) + (aliases.length > 0 ? 0 : 1)
  const byRank = rank(left) - rank(right)
  if (byRank !== 0) return byRank
  return `${left.provider}/${left.id}` < `${right.provider}/${right.id}` ? -1 : 1
}

function cells(row: ModelRow): readonly string[] {
  const { prices } = row
  const price = (dollars: number | undefined) => (dollars === undefined ? '?' : `$${dollars}`)
  return [
    `${row.provider}/${row.id}`,
    row.aliases.join(', '),
    row.contextWindow === undefined ? '?' : `${Math.round(row.contextWindow / 1000)}k`,
    price(prices?.input),
    price(prices?.output),
    price(prices?.cacheRead),
    price(prices?.cacheWrite),
    agents[row.harness],
    row.hasCredential ? 'yes' : 'no',
  ]
}
