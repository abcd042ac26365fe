import type { OpenRehearsal } from '../check/index.ts'
import {
  createAcpHarness,
  createEmbeddedHarness,
  createSdkHarness,
  type Harness,
  type ToolChoice,
} from '../harness/index.ts'
import type { Journal } from '../journal/index.ts'
import { type Clock, type Log, type Scope, startWarden, systemClock } from '../kit/index.ts'
import type { AgentRow } from '../models/index.ts'
import type { PlannedModel } from '../plan/index.ts'
import { startMeter } from '../proxy/index.ts'
import { createExecutionProxy, type ExecutionProxyOptions } from './proxy.ts'

/** A program of our own, to be started as a process. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

/** The other programs that this one is besides itself. */
export interface OwnPrograms {
  /** Calls `runAgentWorker`. */
  readonly agentWorker: Program
  /** Calls `runWarden`. */
  readonly warden: Program
}

export interface Harnesses {
  harnessFor(model: PlannedModel): Harness
  /** Ends what was made ready and not used. Never rejects. */
  close(): Promise<void>
}

export interface HarnessesOptions {
  readonly programs: OwnPrograms
  readonly clock: Clock
  readonly log: Log
  /** Told of each process group of an agent; what it returns takes that back. */
  readonly own: (leader: number) => () => void
  /** Those that speak ACP, by name. */
  readonly agents: AgentTable
  readonly settings?: AgentSettings | undefined
}

/** What the operator says of the agents. */
export interface AgentSettings {
  readonly claude: { readonly tools: ToolChoice; readonly userSettings: boolean }
  readonly pi: { readonly tools: ToolChoice; readonly authFile?: string | undefined }
}

export type AgentTable = ReadonlyMap<string, AgentRow>

/** The ways to run an agent. None loads its SDK before a codon needs it. */
function createHarnesses({ programs, clock, log, own, settings, agents }: HarnessesOptions): Harnesses {
  const made = new Map<string, Harness>()
  /** What the plan knows of models that an SDK may not know. */
  const planned = new Map<string, PlannedModel>()
  const factsOf = (provider: string, id: string) => planned.get(`${provider}/${id}`)
  const make = {
    sdk: () => createSdkHarness({ clock, log, own, ...settings?.claude }),
    embedded: () =>
      createEmbeddedHarness({ worker: programs.agentWorker, clock, own, ...settings?.pi, factsOf }),
    acp: (name: string) => {
      const row = agents.get(name)
      if (!row) return unknownAgent(name)
      return createAcpHarness({ agent: { name, row }, openMeter: startMeter, factsOf, clock, log, own })
    },
  }
  return {
    harnessFor(model) {
      const { harness: name, provider, id, agent = '' } = model
      planned.set(`${provider}/${id}`, model)
      const key = `${name} ${agent}`
      const harness = made.get(key) ?? make[name](agent)
      made.set(key, harness)
      return harness
    },
    async close() {
      await Promise.all([...made.values()].map(async harness => harness.close?.()))
    },
  }
}

/** A plan may name an agent whose row is gone by now. */
function unknownAgent(name: string): Harness {
  const message = `There is no agent ${name} any more. Describe it again under "agents" in weave.json.`
  const reason = { type: 'unknown', retriable: false, message } as const
  return {
    async *start() {
      yield { type: 'ended', end: { ok: false, exit: { type: 'error', code: 1 }, reason } }
    },
  }
}

export interface AgentsOptions {
  readonly programs: OwnPrograms
  /** Other agents than the real ones. */
  readonly harnesses?: Harnesses | undefined
  /** Those that speak ACP, by name. */
  readonly agents?: AgentTable | undefined
  /** The model of a rehearsal: it is told what it must know of the execution. */
  readonly scripted?: Pick<OpenRehearsal, 'informed'> | undefined
  /** Absent: the traffic of agents goes to the provider directly. */
  readonly proxy?: Omit<ExecutionProxyOptions, 'clock' | 'log'> | undefined
  readonly serverId: string
  readonly journal: Pick<Journal, 'subscribe'>
  readonly log: Log
  readonly settings?: AgentSettings | undefined
  /** Hears which process groups this execution has, whenever that changes. */
  readonly onOwned?: ((leaders: readonly number[]) => void) | undefined
}

/** The agents, what ends them when this process is killed, and the proxy between them and their provider. */
export function openAgents(options: AgentsOptions, scope: Scope) {
  const { programs, scripted, serverId, log, settings } = options
  const clock = systemClock
  const warden = startWarden({
    program: programs.warden,
    marker: `WEAVE_SERVER_ID=${serverId}`,
    onOwned: options.onOwned,
    onLost: ({ restarted }) => log.warn('WARDEN', restarted ? 'it was lost and started again' : 'it is lost'),
  })
  scope.add('warden', () => warden.close())
  const { own } = warden
  const harnesses =
    options.harnesses ??
    createHarnesses({ programs, clock, log, own, settings, agents: options.agents ?? new Map() })
  scope.add('harnesses', () => harnesses.close())
  // Nobody knows for how long a run waits, and for what: an agent made ready for the next codon does not wait with it.
  options.journal.subscribe(({ event }) => {
    if (event.type === 'server.idle') void harnesses.close()
  })
  const proxy = options.proxy && createExecutionProxy({ ...options.proxy, clock, log })
  const harnessFor = (model: PlannedModel): Harness => {
    const harness = harnesses.harnessFor(model)
    const informed = scripted?.informed(harness) ?? harness
    return proxy?.informed(informed) ?? informed
  }
  return { own, harnessFor, proxyUrl: proxy?.url ?? (() => undefined), proxy }
}
