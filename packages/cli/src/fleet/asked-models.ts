import {
  credentialVariables,
  findModel,
  type Model,
  type Plan,
  type PlannedCodon,
  plannedCodons,
  type Registry,
} from '@weave/runtime'
import type { DataSet } from 'weave-fleet'

/** Who is asked when the executions of a batch run. */
interface AskedModels {
  readonly ofCodons: readonly { readonly model: AskedModel; readonly env: PlannedCodon['env'] }[]
  readonly ofSentinels: readonly AskedModel[]
}

type AskedModel = Pick<Model, 'provider' | 'id' | 'prices'> & { readonly agent?: string | undefined }

/** A data set may name another model than the hank, for all of its codons. */
export function askedModels(
  plan: Plan,
  registry: Registry,
  sets: readonly DataSet[],
): AskedModels | { readonly problem: string } {
  const codons = plannedCodons(plan)
  const named = [...new Set(sets.flatMap(({ model }) => model ?? []))]
  const unknown = named.find(name => !findModel(name, registry))
  if (unknown !== undefined)
    return {
      problem: `The model ${unknown}, which a data set names, is not known. "weave models" lists them.`,
    }
  const keepsOwn = sets.length === 0 || sets.some(({ model }) => model === undefined)
  const others = named.flatMap(name => findModel(name, registry) ?? [])
  return {
    ofCodons: [
      ...(keepsOwn ? codons : []),
      ...codons.flatMap(({ env }) => others.map(model => ({ model, env }))),
    ],
    ofSentinels: (plan.sentinels ?? []).flatMap(({ config }) => findModel(config.model, registry) ?? []),
  }
}

/** Models whose spending nobody can count: without a price, or of an agent that asks past the gateway. */
export function unpricedIn({ ofCodons, ofSentinels }: AskedModels, registry: Registry): readonly string[] {
  const models = [...ofCodons.map(({ model }) => model), ...ofSentinels]
  const unpriced = models.filter(model => !model.prices || hasOwnLogin(model, registry))
  return [...new Set(unpriced.map(({ provider, id }) => `${provider}/${id}`))]
}

/** Providers whose keys a worker must have: of the codons, unless the hank says where the key comes from. */
export function neededProviders({ ofCodons }: AskedModels, registry: Registry): readonly string[] {
  const needing = ofCodons.filter(
    ({ model, env }) =>
      !hasOwnLogin(model, registry) &&
      !credentialVariables(model.provider, 'codon').some(name => Object.hasOwn(env, name)),
  )
  return [...new Set(needing.map(({ model }) => model.provider))].sort()
}

function hasOwnLogin({ agent = '' }: AskedModel, registry: Registry): boolean {
  return registry.agents.get(agent)?.dialect === 'none'
}
