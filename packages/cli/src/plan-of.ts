import { buildPlan, findModel, type Plan, type Prepared } from '@weave/runtime'

/** The plan of the hank as it is now; undefined when there is no hank. */
export function planOf({ loaded, settings, registry }: Prepared): Plan | undefined {
  const { hank, source } = loaded
  if (!hank || !source) return undefined
  const place = { hank, path: source.path, directory: source.directory }
  return buildPlan(place, {
    modelOf: name => findModel(name, registry),
    modelOverride: settings.modelOverride?.value,
    shimIdleTimeout: settings.settings.shimIdleTimeout,
    ceilings: settings.ceilings,
    sentinels: loaded.sentinels,
  })
}
