import { currentRun, type WeaveState } from '@weave/protocol'
import type { OpenRehearsal } from '../check/index.ts'
import type { Journal, Listener } from '../journal/index.ts'
import {
  createId,
  createScope,
  type Log,
  type LogLevel,
  messageOf,
  type Redactor,
  type Scope,
  startWarden,
  systemClock,
} from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Control } from '../runner/index.ts'
import { nothingLeft, openTimes, type Runner, startPoint, startRunner } from '../runner/index.ts'
import { startServer } from '../server/index.ts'
import type { OpenedExecution } from '../workspace/index.ts'
import type { AgentSetup } from './agent-effects.ts'
import { openEffects } from './effects.ts'
import { type OpenedRecord, openRecord } from './execution-record.ts'
import { frozenPlan } from './frozen-plan.ts'
import { createHarnesses, type Harnesses, type OwnPrograms } from './harnesses.ts'
import { type HeldExecution, holdExecution } from './held-execution.ts'
import { createLateControl } from './late-control.ts'
import { findLostJournal } from './lost-journal.ts'
import { createExecutionProxy, type ExecutionProxy, type ProxySetup } from './proxy.ts'
import { recover } from './recovery.ts'
import { hiddenEvents, type SentinelSetup } from './sentinel-effects.ts'
import { type Told, tellOf } from './telemetry.ts'

export interface ExecutionOptions {
  readonly opened: OpenedExecution
  /** Of the hank as it is now; a resumed execution goes on with its own. */
  readonly plan: Plan
  readonly programs: OwnPrograms
  /** Other agents than those of the two SDKs. */
  readonly harnesses?: Harnesses | undefined
  readonly priceOf: AgentSetup['priceOf']
  readonly environmentFor?: AgentSetup['environmentFor']
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The variables whose values must never be written down: those of this process, also when a run has others. */
  readonly secrets: Readonly<Record<string, string | undefined>>
  readonly sentinels: SentinelSetup
  readonly outputDirectory: string
  readonly overwriteOutput: boolean
  readonly ignoreRigFailures: boolean
  readonly autostart: boolean
  readonly headless: boolean
  readonly keepAlive: boolean
  readonly server: ServerSettings
  /** Absent: the traffic of agents goes to the provider directly. */
  readonly proxy?: ProxySetup | undefined
  readonly logLevel: LogLevel
  readonly weaveVersion: string
  readonly rehearsal: boolean
  /** The model of a rehearsal: it is told what it must know of the execution. */
  readonly scripted?: Pick<OpenRehearsal, 'begin' | 'informed'> | undefined
  readonly onEvent: Listener
  /**
   * Called once, when another took the execution: this process must end at once, and what it started ends with it.
   * Without it everything that would be written fails.
   */
  readonly onLost?: ((reason: string) => void) | undefined
  /** All that the program was told: written down for reports; telemetry obeys it. Absent: neither. */
  readonly told?: Told | undefined
}

export interface ServerSettings {
  readonly port: number
  readonly host?: string | undefined
  readonly token?: string | undefined
  readonly readonlyOnly: boolean
  readonly idleTimeoutSeconds: number
  readonly allowOtherUsers: boolean
}

export type StartedExecution =
  | { readonly ok: true; readonly execution: Execution }
  /** All codons are done already. */
  | {
      readonly ok: true
      readonly execution?: never
      readonly state: WeaveState
      readonly notes: readonly string[]
    }
  | StartFailure

export interface StartFailure {
  readonly ok: false
  readonly message: string
  readonly cure: string
}

export interface Execution {
  readonly runner: Runner
  readonly url: string
  readonly proxyUrl?: string
  /** What was found and mended at the start, for people. */
  readonly notes: readonly string[]
  state(): WeaveState
  /** Call after `runner.done`: says goodbye to clients, writes the state down, lets go of the lock. Errors come back as text. */
  close(): Promise<readonly string[]>
}

/** Opens one execution and sets it going. The only place that sees every room. */
export async function startExecution(options: ExecutionOptions): Promise<StartedExecution> {
  const { layout } = options.opened
  const scope = createScope()
  const serverId = createId('srv')
  const whenHeld = 'Wait for it to end, or start another execution with --start-new.'
  const locked = await holdExecution({ layout, clock: systemClock, onLost: options.onLost, whenHeld }, scope)
  if (!locked.ok) return locked
  try {
    const started = await startLocked(options, { scope, serverId, ...locked })
    if (!started.ok || !started.execution) await scope.close()
    return started
  } catch (error) {
    await scope.close()
    const message = messageOf(error)
    return {
      ok: false,
      message,
      cure: `Look at ${layout.internals}; the journal there is the record of this execution.`,
    }
  }
}

interface Held extends HeldExecution {
  readonly scope: Scope
  readonly serverId: string
}

async function startLocked(options: ExecutionOptions, held: Held): Promise<StartedExecution> {
  const { opened, autostart, headless, keepAlive } = options
  const { layout } = opened
  const { scope, lock } = held
  const clock = systemClock
  const record = await openRecord({ ...options, layout, lock }, scope)
  const { journal, recorder, redactor, log } = record
  await options.scripted?.begin({ layout, state: () => recorder.state, assertHeld: lock.assertHeld })
  const planned = await planFor(options, journal)
  if (!planned.ok) return planned
  const { plan } = planned

  const agents = openAgents(options, held, record)
  const { environment, priceOf, environmentFor, sentinels } = options
  const { outputDirectory, overwriteOutput, ignoreRigFailures } = options
  const opening = await openEffects({
    plan,
    layout,
    journal,
    recorder,
    redactor,
    clock,
    serverId: held.serverId,
    environment,
    assertHeld: lock.assertHeld,
    own: agents.own,
    agents: { harnessFor: agents.harnessFor, proxyUrl: agents.proxyUrl, priceOf, environmentFor },
    sentinels,
    files: { outputDirectory, overwriteOutput, ignoreRigFailures },
    runId: () => currentRun(recorder.state)?.runId ?? '',
  })
  if (!opening.ok) return opening
  const { effects, recovering } = opening
  scope.add('watch', () => opening.close())

  const { replayed } = record
  const { rollback } = effects
  const { tookOver } = held
  const recovered = await recover({
    layout,
    journal,
    recorder,
    replayed,
    plan,
    rollback,
    recovering,
    tookOver,
  })
  if (!recovered.ok) return recovered
  const times = await openTimes(journal, plan)
  const notes = [...opened.notes, ...held.notes, ...recovered.notes]
  if (nothingLeft(plan, recorder.state, times()) && !recovered.startFrom)
    return { ok: true, state: recorder.state, notes: [...held.notes, ...recovered.notes] }
  for (const note of notes) log.info('START', note)

  const control = createLateControl()
  const serving = await serve(options, {
    journal,
    redactor,
    log,
    plan,
    control: control.control,
    held,
    proxy: agents.proxy,
  })
  if (!serving.ok) return serving
  await opening.startHealthChecks()
  const runner = startRunner({
    plan,
    journal,
    recorder,
    effects,
    clock,
    firstRunId: held.runId,
    times,
    autostart,
    headless,
    keepAlive,
    startFrom: recovered.startFrom ?? startPoint(plan, recorder.state),
  })
  control.is(runner)
  await tellOf(runner, { ...options, ...record, layout, plan, scope })
  const ending = endingWith(runner, { scope, tidy: opening.tidy })
  return {
    ok: true,
    execution: { ...ending, ...serving.urls, notes, state: () => recorder.state },
  }
}

/** The plan that the execution began with, or that of the hank for one that begins now. */
async function planFor({ opened, plan }: ExecutionOptions, journal: Journal) {
  const frozen = await frozenPlan(journal.history)
  const hasPlan = frozen !== undefined
  const lost = findLostJournal(opened.layout, { lastSeq: journal.lastSeq, hasPlan })
  if (lost) return lost
  return { ok: true, plan: frozen ? withCeilings(frozen, plan) : freeze(journal, plan) } as const
}

/** The agents, what ends them when this process is killed, and the proxy between them and their provider. */
function openAgents(options: ExecutionOptions, held: Held, { recorder, redactor, log }: OpenedRecord) {
  const { opened, programs } = options
  const clock = systemClock
  const { own } = openWarden(options, held, log)
  const harnesses = options.harnesses ?? createHarnesses({ programs, clock, log, own })
  held.scope.add('harnesses', () => harnesses.close())
  const harnessFor: Harnesses['harnessFor'] = model => {
    const harness = harnesses.harnessFor(model)
    return options.scripted?.informed(harness) ?? harness
  }
  if (!options.proxy) return { own, harnessFor, proxyUrl: () => undefined, proxy: undefined }
  const state = () => recorder.state
  const { assertHeld } = held.lock
  const seen = { layout: opened.layout, clock, redactor, log, state, assertHeld }
  const proxy = createExecutionProxy({
    ...options,
    ...options.proxy,
    ...seen,
    allowOtherUsers: options.server.allowOtherUsers,
  })
  const informed: Harnesses['harnessFor'] = model => proxy.informed(harnessFor(model))
  return { own, harnessFor: informed, proxyUrl: proxy.url, proxy }
}

function openWarden({ programs }: ExecutionOptions, { serverId, scope }: Held, log: Log) {
  const warden = startWarden({
    program: programs.warden,
    marker: `WEAVE_SERVER_ID=${serverId}`,
    onLost: ({ restarted }) => log.warn('WARDEN', restarted ? 'it was lost and started again' : 'it is lost'),
  })
  scope.add('warden', () => warden.close())
  return warden
}

interface Ending {
  readonly scope: Scope
  /** Packs the checkpoints. Ends soon after the signal aborts; never rejects. */
  readonly tidy: (signal: AbortSignal) => Promise<void>
}

/** A hank that is done leaves its checkpoints packed, if that is quick and nobody wants us gone. */
function endingWith(runner: Runner, { scope, tidy }: Ending): Pick<Execution, 'runner' | 'close'> {
  const hurry = new AbortController()
  return {
    runner: {
      ...runner,
      shutdown(reason) {
        hurry.abort()
        runner.shutdown(reason)
      },
    },
    async close() {
      if ((await runner.done).status === 'completed')
        await tidy(AbortSignal.any([hurry.signal, AbortSignal.timeout(longestTidying)]))
      return (await scope.close()).map(({ name, error }) => `${name}: ${String(error)}`)
    },
  }
}

/** Milliseconds that the end of a run may take to pack its checkpoints. */
const longestTidying = 2_000

interface Serving {
  readonly journal: Journal
  readonly redactor: Redactor
  readonly plan: Plan
  readonly control: Control
  readonly log: Log
  readonly held: Held
  readonly proxy: ExecutionProxy | undefined
}

/** Listens, then lets the proxy listen, and says so in the lock. Who comes before that is answered after it. */
async function serve(
  options: ExecutionOptions,
  { journal, redactor, plan, control, log, held, proxy }: Serving,
) {
  let allListen: (ports: { readonly proxyPort?: number }) => void = () => undefined
  const otherPorts = new Promise<{ readonly proxyPort?: number }>(resolve => {
    allListen = resolve
  })
  const { opened, server: settings, weaveVersion, outputDirectory, rehearsal } = options
  const { layout, executionFile } = opened
  const started = await startServer({
    ...settings,
    journal,
    redactor,
    control,
    hides: hiddenEvents(plan),
    clock: systemClock,
    log,
    ready: async () => ({
      serverVersion: weaveVersion,
      executionPath: layout.dir,
      dataPath: executionFile.dataPath ?? layout.dataSource,
      agentRootPath: layout.agentRoot,
      outputDirectory,
      ...(await otherPorts),
      ...(rehearsal && { rehearsal }),
    }),
  })
  if (!started.ok) return started
  const { server } = started
  held.scope.add('server', () => server.close('The server is going down.'))
  log.info('SERVER', `listening at ${server.url}`)
  if (proxy) held.scope.add('proxy', () => proxy.close())
  const proxied = await proxy?.start(server.port)
  if (proxied?.ok === false) return proxied
  const ports = proxied ? { proxyPort: proxied.port } : {}
  allListen(ports)
  const { token } = settings
  held.lock.update({ port: server.port, ...ports, ...(token !== undefined && { token }) })
  const proxyUrl = proxy?.url()
  return { ok: true as const, urls: { url: server.url, ...(proxyUrl !== undefined && { proxyUrl }) } }
}

/** What a person allows to spend is said anew at every start; all else is as it was when the execution began. */
function withCeilings(frozen: Plan, { ceilings = {} }: Plan): Plan {
  return { ...frozen, ceilings }
}

/**
 * The plan is written down once, when the execution begins; from then on that is what runs. On the disk for good before
 * the first checkpoint: a store with checkpoints and no journal means that the journal was lost.
 */
function freeze(journal: Journal, plan: Plan): Plan {
  journal.append('preflight.result', { ok: true, problems: [], plan: { ...plan } })
  journal.flush()
  return plan
}
