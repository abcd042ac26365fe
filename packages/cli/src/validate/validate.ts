import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listEnvironment, type ObservedCosts, type Prepared } from '@weave/runtime'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { report, schemaLine } from './report.ts'
import { forecastOf, structure } from './sections.ts'

/** `weave validate`: everything that can be known before a token is spent, for people or for programs. */
export async function validateCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const run = await prepareRun(args, { checksData: true })
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  const { prepared } = run
  const added = await schemaLine(prepared)
  const earlier = await earlierOf(prepared)
  if (args.switches.has('json')) terminal.json(reportJson(prepared, process.env, earlier))
  else {
    if (added !== undefined) terminal.out(added)
    const verbose = args.switches.has('verbose')
    for (const line of report(prepared, { verbose, environment: process.env, earlier }))
      terminal.out(line, paintVerdict)
  }
  return prepared.ok ? exitCodes.done : exitCodes.failed
}

/** Whoever has not run this hank before does not wait for the code that reads executions. */
async function earlierOf(prepared: Prepared): Promise<ObservedCosts | undefined> {
  const hankPath = prepared.loaded.source?.path
  if (hankPath === undefined || !hasRunBefore(prepared.paths.executionBaseDir, hankPath)) return undefined
  return (await import('./earlier-costs.ts')).earlierCosts(prepared)
}

/** The same verdict for programs: one JSON document. */
function reportJson(
  prepared: Prepared,
  environment: Readonly<Record<string, string | undefined>>,
  earlier?: ObservedCosts,
): string {
  const { ok, loaded, plan, settings, data, preflight, runtimeFile } = prepared
  return JSON.stringify(
    {
      valid: ok,
      file: loaded.source?.path,
      problems: prepared.problems,
      counts: loaded.counts,
      structure: plan ? structure(plan, loaded.prompts) : [],
      ceilings: settings.ceilings,
      forecast: plan && forecastOf(plan, earlier),
      settings: settings.sources,
      runtimeFile,
      data,
      environment: listEnvironment(environment, loaded.hank?.requirements?.env),
      models: preflight?.models.map(({ identity, provider, id, contextWindow, prices }) => ({
        identity,
        provider,
        id,
        contextWindow,
        prices,
      })),
      selfTests: preflight?.results,
    },
    null,
    2,
  )
}

/** So many are looked at. */
const mostNames = 200

/** Whether an execution of a hank is there. Only a look, without the code that reads executions: nothing is checked. */
function hasRunBefore(executionBaseDir: string, hankPath: string): boolean {
  const mention = JSON.stringify(hankPath)
  return namesIn(executionBaseDir)
    .slice(-mostNames)
    .some(name => textOf(join(executionBaseDir, name, '.weave/execution.json')).includes(mention))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
