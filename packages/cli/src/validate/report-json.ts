import { listEnvironment, modelNameOf, type ObservedCosts, type Prepared } from '@weave/runtime'
import { forecastOf } from './budgets.ts'
import { structure } from './structure.ts'

/** The same verdict for programs: one JSON document. */
export function reportJson(
  prepared: Prepared,
  environment: Readonly<Record<string, string | undefined>>,
  earlier?: ObservedCosts,
): string {
  const { ok, loaded, settings, data, preflight, runtimeFile } = prepared
  return JSON.stringify(
    {
      valid: ok,
      file: loaded.source?.path,
      problems: prepared.problems,
      counts: loaded.counts,
      structure: structure(loaded, codon => modelNameOf(codon, prepared)),
      ceilings: settings.ceilings,
      forecast: forecastOf(prepared, earlier),
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
