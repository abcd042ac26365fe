import { findModel, type Plan, type Prepared, plannedCodons } from '@weave/runtime'

/** Models of a hank whose spending nobody can count: without a price, or of an agent that asks past the gateway. */
export function unpricedIn(plan: Plan, registry: Prepared['registry']): readonly string[] {
  const ofSentinels = (plan.sentinels ?? []).flatMap(({ config }) => {
    const found = findModel(config.model, registry)
    return found ? [found] : []
  })
  const models = [...plannedCodons(plan).map(({ model }) => model), ...ofSentinels]
  const isApart = ({ agent = '' }: { readonly agent?: string }): boolean =>
    registry.agents.get(agent)?.dialect === 'none'
  const unpriced = models.filter(model => !model.prices || isApart(model))
  return [...new Set(unpriced.map(({ provider, id }) => `${provider}/${id}`))]
}
