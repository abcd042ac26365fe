import { homedir } from 'node:os'
import { additionsOf, createRegistry, formatProblem, listModels, type ModelRow } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { columns, type Terminal } from './terminal.ts'

/** `weave models [filter]`: which models there are, what they cost and whose key is there. */
export async function modelsCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { registry, problems } = await createRegistry({ additions: additionsOf({ home: homedir() }) })
  for (const problem of problems) terminal.error(formatProblem(problem))
  const rows = listModels(registry, { environment: process.env, filter: args.positionals[0] })
  if (args.switches.has('json')) terminal.json(JSON.stringify(rows, null, 2))
  else for (const line of columns([heads, ...rows.map(cells)], '')) terminal.out(line)
  if (rows.length === 0) terminal.error(`No model contains "${args.positionals[0] ?? ''}".`)
  return rows.length === 0 ? exitCodes.failed : exitCodes.done
}

const heads = ['MODEL', 'ALIAS', 'WINDOW', 'IN', 'OUT', 'CACHE READ', 'CACHE WRITE', 'HARNESS', 'KEY']

function cells(row: ModelRow): readonly string[] {
  const { prices } = row
  const price = (dollars: number | undefined) => (dollars === undefined ? '?' : `$${dollars}`)
  return [
    `${row.provider}/${row.id}`,
    row.aliases.join(', '),
    `${Math.round(row.contextWindow / 1000)}k`,
    price(prices?.input),
    price(prices?.output),
    price(prices?.cacheRead),
    price(prices?.cacheWrite),
    row.harness,
    row.hasCredential ? 'yes' : 'no',
  ]
}
