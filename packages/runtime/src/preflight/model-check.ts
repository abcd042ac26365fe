import { collector, type Problem } from '../kit/index.ts'
import { type ModelResolution, type Registry, resolveModel } from '../models/index.ts'
import type { ModelUse, Resolved } from './model-use.ts'

export interface CheckedModels {
  /** The uses whose model is known, in the order given. */
  readonly resolved: readonly Resolved[]
  /** One for each use of a name that nobody knows. */
  readonly problems: readonly Problem[]
}

/** First step: what each model name means. Asks nobody but the registry. */
export async function checkModels(uses: readonly ModelUse[], registry: Registry): Promise<CheckedModels> {
  const known = new Map<string, ModelResolution>()
  const resolved: Resolved[] = []
  const problems = collector()
  for (const use of uses) {
    const resolution = known.get(use.name) ?? (await resolveModel(use.name, registry))
    known.set(use.name, resolution)
    if (resolution.ok) resolved.push({ use, model: resolution.model })
    else problems.error(use.where, `${use.label}: ${resolution.message}`)
  }
  return { resolved, problems: problems.all() }
}
