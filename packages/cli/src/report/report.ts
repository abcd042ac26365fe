import { readCosts } from '@weave/runtime'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { costCsv, costLines } from './costs.ts'

/** `weave report [execution]`: what happened, as a page; with `--costs` what it has cost, with `--requests` what was asked. */
export async function reportCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { switches, positionals, texts } = args
  const usage = wrongUsage(switches)
  if (usage !== undefined) {
    terminal.error(usage)
    return exitCodes.usage
  }
  const found = await chooseExecution(args, terminal, { word: positionals[0] })
  if (!found.ok) return found.code
  if (switches.has('requests')) {
    await (await import('./requests.ts')).printRequests(found.layout, args, terminal)
    return exitCodes.done
  }
  if (!switches.has('costs')) {
    const { htmlReport } = await import('./html-report.ts')
    const [file, json] = [texts['output-file'], switches.has('json')]
    return htmlReport({ layout: found.layout, file, json, workingDirectory: process.cwd() }, terminal)
  }
  const costs = await costsOf(found.layout)
  if (typeof costs === 'string') {
    terminal.error(costs)
    return exitCodes.failed
  }
  if (switches.has('json')) terminal.json(JSON.stringify(costs, null, 2))
  else if (switches.has('csv')) terminal.raw(costCsv(costs))
  else {
    for (const line of costLines(costs)) terminal.out(line)
    if (found.file?.rehearsal) terminal.out('Simulated: the model was a script.')
  }
  return exitCodes.done
}

/** A message when the costs cannot be read. */
async function costsOf(layout: Parameters<typeof readCosts>[0]) {
  try {
    return (await readCosts(layout)) ?? `${layout.dir} has not begun: it has no plan yet.`
  } catch (error) {
    return `${layout.dir} cannot be read: ${error instanceof Error ? error.message : String(error)}.`
  }
}

function wrongUsage(switches: Arguments['switches']): string | undefined {
  const [costs, requests] = [switches.has('costs'), switches.has('requests')]
  if (costs && requests) return '--costs and --requests exclude each other.'
  if (switches.has('csv') && !costs && !requests)
    return '--csv is for tables only: weave report --costs --csv, or --requests --csv.'
  return switches.has('json') && switches.has('csv') ? '--json and --csv exclude each other.' : undefined
}
