import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listEnvironment, type ObservedCosts, type Prepared } from '@weave/runtime'
import { forecastOf, structure } from './sections.ts'

/** Whoever has not run this hank before does not wait for the code that reads executions. */
export async function earlierOf(prepared: Prepared): Promise<ObservedCosts | undefined> {
  const hankPath = prepared.loaded.source?.path
  if (hankPath === undefined || !hasRunBefore(prepared.paths.executionBaseDir, hankPath)) return undefined
  return (await import('./earlier-costs.ts')).earlierCosts(prepared)
}

/** The same verdict for programs. */
export async function verdictJson(
  prepared: Prepared,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<object> {
  const { ok, loaded, plan, settings, data, preflight, runtimeFile } = prepared
  return {
    valid: ok,
    file: loaded.source?.path,
    problems: prepared.problems,
    counts: loaded.counts,
    structure: plan ? structure(plan, loaded.prompts) : [],
    mcpServers: plan?.mcpServers,
    ceilings: settings.ceilings,
    forecast: plan && forecastOf(plan, await earlierOf(prepared)),
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
  }
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
