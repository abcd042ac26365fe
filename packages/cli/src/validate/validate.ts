import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listEnvironment, type ObservedCosts, type Prepared } from '@weave/runtime'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { createWaiting } from '../waiting.ts'
import { planReport, verdictReport } from './report.ts'
import { type AddedSchema, addSchema } from './schema-line.ts'
import { forecastOf, structure } from './sections.ts'

/** `weave validate`: everything that can be known before a token is spent, for people or for programs. */
export async function validateCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const isJson = args.switches.has('json')
  const waiting = createWaiting(terminal)
  let schema: AddedSchema | undefined
  const printPlan = async (prepared: Prepared): Promise<void> => {
    schema = await addSchema(prepared)
    if (schema.message !== undefined) terminal.out(schema.message)
    const options = { verbose: args.switches.has('verbose'), environment: process.env }
    for (const line of planReport(prepared, { ...options, earlier: await earlierOf(prepared) }))
      terminal.out(line, paintVerdict)
  }
  const run = await prepareRun(args, {
    checksData: true,
    // A provider may take its time: a person reads the plan meanwhile.
    async onAsking(found, providers) {
      if (!isJson) await printPlan(found)
      waiting.for(`Asking ${providers.join(', ')}`)
    },
  })
  waiting.done()
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  const { prepared } = run
  if (isJson) {
    const { moved } = await addSchema(prepared)
    terminal.json(reportJson(moved(prepared), process.env, await earlierOf(prepared)))
  } else {
    if (!schema) await printPlan(prepared)
    for (const line of verdictReport(schema?.moved(prepared) ?? prepared)) terminal.out(line, paintVerdict)
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
