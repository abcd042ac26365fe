import type { Alias } from './aliases.ts'
import { credentialFor, type Environment } from './credentials.ts'
import { fullName, type HarnessName, harnessOf, type Model, type Prices } from './model.ts'
import type { Registry } from './registry.ts'

/** One line of `weave models`. Plain data without secrets: `--json` prints it as it is. */
export interface ModelRow {
  readonly provider: string
  readonly id: string
  readonly name: string
  /** Short names that mean this model now. */
  readonly aliases: readonly Alias[]
  readonly harness: HarnessName
  readonly contextWindow: number
  readonly maxOutputTokens?: number
  /** Absent: not known. */
  readonly prices?: Prices
  /** Whether a key for codons is in the environment. Nobody was asked whether it is good. */
  readonly hasCredential: boolean
}

export interface ListOptions {
  readonly environment: Environment
  /** Only rows whose `provider/id`, name or alias contains it, in any case. */
  readonly filter?: string | undefined
}

/** In the order of the registry: preferred providers first. */
export function listModels(
  registry: Registry,
  { environment, filter = '' }: ListOptions,
): readonly ModelRow[] {
  const ready = new Map<string, boolean>()
  for (const { provider } of registry.models) {
    if (!ready.has(provider)) ready.set(provider, credentialFor(provider, 'codon', environment).ok)
  }
  return registry.models
    .map((model): ModelRow => rowOf(model, aliasesOf(model, registry), ready.get(model.provider) ?? false))
    .filter(row => matches(row, filter.toLowerCase()))
}

function rowOf(model: Model, aliases: readonly Alias[], hasCredential: boolean): ModelRow {
  return { ...model, aliases, harness: harnessOf(model), hasCredential }
}

function aliasesOf(model: Model, { aliases }: Registry): readonly Alias[] {
  return [...aliases].filter(([, target]) => target === model).map(([alias]) => alias)
}

function matches(row: ModelRow, filter: string): boolean {
  return [fullName(row), row.name, ...row.aliases].some(text => text.toLowerCase().includes(filter))
}
