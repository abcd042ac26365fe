import {
  defaultUpstream,
  type ExecutionOptions,
  findModel,
  type OpenRehearsal,
  type Prepared,
  reachingLoopback,
  reachingOwn,
  rerouted,
} from '@weave/runtime'
import type { TurnTies } from './turn-ties.ts'

type Variables = Readonly<Record<string, string | undefined>>

interface Around extends Pick<TurnTies, 'gateway'> {
  readonly environment: Variables
  readonly rehearsal?: OpenRehearsal | undefined
}

interface Ways extends Pick<ExecutionOptions, 'environment' | 'environmentFor'> {
  /** For sentinels. */
  readonly reaching: NonNullable<ExecutionOptions['sentinels']>['reaching']
  /** Where the proxy leads. */
  readonly upstream: string
}

/** How agents and sentinels of a run reach their providers: by themselves, in a rehearsal, through the gateway of a turn. */
export function waysOf({ gateway, ...around }: Around, prepared: Prepared): Ways {
  const ways = ownWays(around, prepared)
  if (!gateway) return ways
  gateway.knows((provider, id) => findModel(`${provider}/${id}`, prepared.registry))
  const led = <E extends Variables>(environment: E, provider: string): E =>
    rerouted(environment, provider, address => gateway.through(provider, address))
  return {
    ...ways,
    environmentFor: (runtimeId, env, way) =>
      reachingLoopback(led(ways.environmentFor?.(runtimeId, env, way) ?? env, way.provider)),
    reaching: (env, model) => led(ways.reaching?.(env, model) ?? env, model.provider),
    upstream: gateway.through(proxied, ways.upstream),
  }
}

/** Whose requests the proxy forwards. */
const proxied = 'anthropic'

/** In a rehearsal nothing that leads to a provider outside reaches a codon, neither from here nor from its hank. */
function ownWays({ environment, rehearsal }: Omit<Around, 'gateway'>, prepared: Prepared): Ways {
  const { registry } = prepared
  const { providers } = registry
  const upstream = upstreamOf(rehearsal, prepared)
  // What a file says of a provider is lent to those who ask that provider, and to nobody else.
  if (!rehearsal)
    return {
      environment,
      environmentFor: (_, env, { provider }) => reachingOwn(env, registry, provider),
      reaching: (env, { provider }) => reachingOwn(env, registry, provider),
      upstream,
    }
  return {
    environment: rehearsal.environment(environment, providers),
    // A resumed execution may have models that the catalogue and its additions do not have any more.
    environmentFor: (runtimeId, env, { provider, proxyUrl }) =>
      rehearsal.environmentFor(runtimeId, env, { providers: [...providers, provider], proxyUrl }),
    reaching: undefined,
    upstream,
  }
}

/** In a rehearsal the scripted model, whatever the settings say. */
export function upstreamOf(rehearsal: OpenRehearsal | undefined, { settings }: Prepared): string {
  return rehearsal?.url ?? settings.settings.vendorBaseUrl ?? defaultUpstream
}
