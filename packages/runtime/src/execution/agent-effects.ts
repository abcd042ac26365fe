import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { walk } from '../files/index.ts'
import type { AgentServer, Harness, HarnessSurroundings } from '../harness/index.ts'
import { type Marker, type Redactor, systemClock } from '../kit/index.ts'
import { costOf, type Prices } from '../models/index.ts'
import type { Plan, PlannedCodonAt, PlannedModel } from '../plan/index.ts'
import { type AgentEffects, codonPrompt } from '../runner/index.ts'
import { codonEnvironment, reachingLoopback, throughProxy } from '../settings/index.ts'
import { type ExecutionLayout, openSessionLog, promptLog, sessionLog } from '../workspace/index.ts'
import { recordPrompts } from './recorded-prompts.ts'

export interface AgentSetup {
  readonly harnessFor: (model: PlannedModel) => Harness
  /** Where the agents of the SDK harness find the provider, when the proxy runs. */
  readonly proxyUrl: () => string | undefined
  /** Prices of a model that is not in the plan. */
  readonly priceOf: (provider: string, modelId: string) => Prices | undefined
  /** MCP servers for the agent of a codon. */
  readonly serversFor?: ((codonId: string) => readonly AgentServer[]) | undefined
  /** Of the attempt that is made, while spans are sent. */
  readonly traceparent?: (() => string | undefined) | undefined
  /** Has the last word on the environment of a codon. */
  readonly environmentFor?:
    | ((
        runtimeId: string,
        env: Readonly<Record<string, string>>,
        way: { readonly provider: string; readonly proxyUrl: string | undefined },
      ) => Readonly<Record<string, string>>)
    | undefined
}

export interface AgentEffectsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly serverId: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly redactor: Redactor
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  readonly agents: AgentSetup
  readonly runId: () => string
  readonly warn: (message: string) => void
}

export function createAgentEffects(options: AgentEffectsOptions): AgentEffects {
  const { plan, layout, agents, redactor, assertHeld, warn: onFailure } = options
  const logAt = (path: string) => openSessionLog({ path, redactor, assertHeld, onFailure })
  const prompts = {
    clock: systemClock,
    open: (runtimeId: string) => logAt(promptLog(layout, options.runId(), runtimeId)),
  }
  return {
    harnessFor: model => recordPrompts(agents.harnessFor(model), prompts),
    surroundingsOf: at => surroundingsOf(at, options),
    sessionLog: at => logAt(sessionLog(layout, options.runId(), at.runtimeId)),
    costOf: (model, tokens, modelId) => {
      const cost = costOf(tokens, pricesOf(model, modelId, agents.priceOf))
      return cost.known ? cost.dollars : undefined
    },
    promptOf: at => codonPrompt(plan, at.codon, layout.agentRoot),
  }
}

function surroundingsOf(
  { runtimeId, codon }: PlannedCodonAt,
  options: AgentEffectsOptions,
): HarnessSurroundings {
  const { layout, environment, serverId, agents } = options
  const proxyUrl = agents.proxyUrl()
  const env = codonEnvironment({
    environment,
    codon: codon.env,
    traceparent: agents.traceparent?.(),
    markers: {
      WEAVE_EXECUTION_ID: layout.dir,
      WEAVE_CODON_ID: runtimeId,
      WEAVE_SERVER_ID: serverId,
      WEAVE_AGENT_ID: `${serverId}:${runtimeId}`,
    },
  })
  const { provider } = codon.model
  const lent = agents.environmentFor?.(runtimeId, env, { provider, proxyUrl }) ?? env
  // Of this server alone, since whoever holds the execution next has agents in the same directory; and of this codon
  // alone, since the agent of the next one is made ready while this one ends.
  const marker: Marker = `WEAVE_AGENT_ID=${serverId}:${runtimeId}`
  return {
    codonId: runtimeId,
    model: codon.model.id,
    provider,
    cwd: layout.agentRoot,
    env: wayOut[codon.model.harness](lent, proxyUrl),
    marker,
    home: layout.agents,
    autoCompact: codon.autoCompact,
    thinking: codon.model.thinking,
    servers: agents.serversFor?.(codon.id).map(server => marked(server, env)),
  }
}

/** Its processes are the codon's: an agent may start them with as little environment as it likes. */
function marked(server: AgentServer, env: HarnessSurroundings['env']): AgentServer {
  const { reach } = server
  if (reach.kind === 'http') return server
  const markers = Object.entries(env).filter(([name]) => markerNames.has(name))
  return { ...server, reach: { ...reach, env: { ...reach.env, ...Object.fromEntries(markers) } } }
}

const markerNames = new Set(['WEAVE_EXECUTION_ID', 'WEAVE_CODON_ID', 'WEAVE_SERVER_ID', 'WEAVE_AGENT_ID'])

type WayOut = (
  env: Readonly<Record<string, string>>,
  proxyUrl: string | undefined,
) => HarnessSurroundings['env']

/** How an agent reaches its provider: through the proxy, by itself, or through its own meter on this machine. */
const wayOut: Readonly<Record<PlannedModel['harness'], WayOut>> = {
  sdk: throughProxy,
  embedded: env => env,
  acp: reachingLoopback,
}

/** Providers name a model with its date, too, and agents use small models of their own beside the one they were given. */
function pricesOf(
  model: PlannedModel,
  modelId: string | undefined,
  priceOf: AgentSetup['priceOf'],
): Prices | undefined {
  const isPlanned = modelId === undefined || modelId === model.id || modelId.startsWith(`${model.id}-`)
  return isPlanned ? model.prices : priceOf(model.provider, modelId)
}

/**
 * Takes from others what the agent programs left open to them in their own folders. Nobody but the owner ever gets there,
 * because the folder above is private from birth; but a copy of the execution may lie elsewhere. Their umask cannot be
 * narrower from the beginning: with it they also make the files of the workspace. Never rejects; what cannot be changed
 * is left.
 */
export async function tightenAgents({ agents }: ExecutionLayout): Promise<void> {
  const limits = { maxEntries: 100_000, maxDepth: 50 }
  for await (const item of walk(agents, limits)) {
    if (item.kind !== 'entry') continue
    const { stats, path } = item
    const isOurs = stats.isFile() || stats.isDirectory()
    if (isOurs && (stats.mode & 0o077) !== 0)
      await tighten(join(agents, path), stats.mode).catch(() => undefined)
  }
}

/** By its descriptor: a link that has taken its place is not followed. */
async function tighten(path: string, mode: number): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    await file.chmod(mode & 0o700)
  } finally {
    await file.close()
  }
}
