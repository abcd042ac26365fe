import { join } from 'node:path'
import { type Clock, type LaunchOptions, type Log, silentLog, systemClock } from '../../kit/index.ts'
import { credentialFor, endpointFor } from '../../models/index.ts'
import type { OpenMeter } from '../../proxy/index.ts'
import { failedWith } from '../failure.ts'
import type { Harness, HarnessEvent, HarnessSpec } from '../harness.ts'
import { ownPlaces } from '../resolve-harness.ts'
import { openAgentHome } from './agent-home.ts'
import { fillRow } from './fill-row.ts'
import { type NamedAgent, resolveAgent } from './resolve-agent.ts'
import { runAgent } from './run-agent.ts'

export interface AcpHarnessOptions extends Pick<LaunchOptions, 'own'> {
  readonly agent: NamedAgent
  readonly openMeter: OpenMeter
  /** Tokens; absent where nobody knows. */
  readonly factsOf?: (
    provider: string,
    id: string,
  ) => { readonly contextWindow?: number; readonly maxOutputTokens?: number } | undefined
  readonly clock?: Clock
  readonly log?: Log
}

/** For a model of which nobody says more; agents want a number. */
const usualWindow = 200_000
const usualOutput = 32_000

/**
 * Agents that speak the Agent Client Protocol, each as a program of its own. The protocol tells too little about money and
 * failures, so they ask their provider through a meter, which is where usage, waits and overflows come from.
 */
export function createAcpHarness(options: AcpHarnessOptions): Harness {
  const { agent, openMeter, own, factsOf = () => undefined, clock = systemClock, log = silentLog } = options

  async function* start(spec: HarnessSpec, signal: AbortSignal): AsyncGenerator<HarnessEvent> {
    const found = resolveAgent(agent, { places: ownPlaces(), environment: spec.env })
    const endpoint = agent.row.dialect === 'none' ? undefined : endpointFor(spec.provider, spec.env)
    const fault = !found.ok
      ? `${found.message} ${found.cure}`
      : endpoint?.ok === false
        ? endpoint.message
        : undefined
    if (!found.ok || fault !== undefined) {
      yield { type: 'ended', end: failedWith({ kind: 'launch', message: fault ?? '' }) }
      return
    }
    const upstream = endpoint?.ok ? endpoint.root : undefined
    const version = endpoint?.ok ? endpoint.api.slice(endpoint.root.length) : ''
    const credential = credentialFor(spec.provider, 'codon', spec.env)
    const { contextWindow = usualWindow, maxOutputTokens } = factsOf(spec.provider, spec.model) ?? {}
    const home = openAgentHome(join(spec.home, `acp-${agent.name}`))
    const words = {
      key: credential.ok ? credential.value.trim() : '',
      model: spec.model,
      home: home.path,
      autoCompact: spec.autoCompact,
      context: contextWindow,
      output: maxOutputTokens ?? usualOutput,
    }
    const fill = (url: string) => fillRow(agent.row, { ...words, url, api: url + version })
    const { program } = found
    yield* runAgent({ agent, program, spec, signal, home, fill, upstream, openMeter, own, clock, log })
  }

  return { start }
}
