import { currentRun, type WeaveState } from '@weave/protocol'
import type { OpenRehearsal } from '../check/index.ts'
import type { Listener } from '../journal/index.ts'
import {
  createId,
  createScope,
  type Failure,
  type LogLevel,
  messageOf,
  type Refused,
  type Scope,
  systemClock,
} from '../kit/index.ts'
import type { TracesEntry } from '../otel/index.ts'
import type { Plan } from '../plan/index.ts'
import {
  type BorderPorts,
  type Control,
  nothingLeft,
  openTimes,
  type Runner,
  recordDone,
  startPoint,
  startRunner,
} from '../runner/index.ts'
import type { RuleSetting } from '../settings/index.ts'
import { type OpenedExecution, writeExecutionFile } from '../workspace/index.ts'
import { type Activities, type ActivityListener, createActivities } from './activity.ts'
import type { AgentSetup } from './agent-effects.ts'
import {
  type AgentSettings,
  type AgentTable,
  type Harnesses,
  type OwnPrograms,
  openAgents,
} from './agents.ts'
import { type OpenedEffects, openEffects } from './effects.ts'
import { planFor } from './frozen-plan.ts'
import { asksAtTheEnd, openGating, unknownGate } from './gating.ts'
import { type HeldExecution, holdExecution, type OpenedRecord, openRecord } from './hold.ts'
import { type NotifySetup, openNotifying } from './notifying.ts'
import type { ProxySetup } from './proxy.ts'
import { recover } from './recovery.ts'
import { answerGates } from './rehearsed-gates.ts'
import { finishDeeds, openRuling } from './ruling.ts'
import type { SentinelSetup } from './sentinel-effects.ts'
import { createLateControl, type ServerSettings, serve } from './serve.ts'
import { startTelemetry, type Told } from './telemetry.ts'
import { openTracing, type Tracing } from './tracing.ts'

export interface ExecutionOptions {
  readonly opened: OpenedExecution
  /** Of the hank as it is now; a resumed execution goes on with its own, unless this one is adopted. */
  readonly plan: Plan
  /** Takes the plan of the hank over, if what is done allows it; `hankHash` is that of the hank. */
  readonly adopt?: { readonly hankHash: string } | undefined
  readonly programs: OwnPrograms
  /** The thread that sends spans; without it none are sent. */
  readonly tracesEntry?: TracesEntry | undefined
  /** Other agents than the real ones. */
  readonly harnesses?: Harnesses | undefined
  /** Agents that speak ACP, by name. */
  readonly agents?: AgentTable | undefined
  readonly agentSettings?: AgentSettings | undefined
  /** MCP servers for the agent of a codon. */
  readonly serversFor?: AgentSetup['serversFor']
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
  /** It runs without a terminal, in a session of its own. */
  readonly detached?: boolean | undefined
  /** A person is at a screen and decides what becomes of a failure. */
  readonly attended?: boolean | undefined
  /** Gates that a person leaves out of this start. */
  readonly dropGates?: readonly string[] | undefined
  /** What the run does at a gate; default: it waits. */
  readonly onGate?: 'wait' | 'exit' | undefined
  /** Who has a say between codons. */
  readonly border?: BorderPorts | undefined
  /** Hears which process groups it has, agents' and rigs', whenever that changes. Must not throw. */
  readonly onOwned?: ((leaders: readonly number[]) => void) | undefined
  readonly server: ServerSettings
  /** Absent: the traffic of agents goes to the provider directly. */
  readonly proxy?: ProxySetup | undefined
  readonly logLevel: LogLevel
  readonly weaveVersion: string
  readonly rehearsal: boolean
  /** The model of a rehearsal: it is told what it must know of the execution. */
  readonly scripted?: Pick<OpenRehearsal, 'begin' | 'informed' | 'gates'> | undefined
  readonly onEvent: Listener
  /** Hears of what takes long, about once a second, beside the journal. Must not throw. */
  readonly onActivity?: ActivityListener | undefined
  /**
   * Called once, when another took the execution: this process must end at once, and what it started ends with it.
   * Without it everything that would be written fails.
   */
  readonly onLost?: ((reason: string) => void) | undefined
  /** What the operator lets follow from events. */
  readonly rules?: readonly RuleSetting[] | undefined
  /** Absent: nobody is told of the run. */
  readonly notify?: NotifySetup | undefined
  /** The resolved settings, recorded for reports and obeyed by telemetry. Absent: neither. */
  readonly told?: Told | undefined
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
  | Refused<Failure>

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

/** What the steps of a start work with. */
interface Start {
  readonly options: ExecutionOptions
  readonly held: Held
  readonly record: OpenedRecord
  readonly plan: Plan
  readonly activities: Activities
  readonly tracing: Tracing
}

async function startLocked(options: ExecutionOptions, held: Held): Promise<StartedExecution> {
  const { layout } = options.opened
  const { scope, lock } = held
  const { secrets, logLevel, onEvent } = options
  const record = await openRecord({ layout, lock, secrets, logLevel, onEvent }, scope)
  const { journal, recorder, log } = record
  const state = (): WeaveState => recorder.state
  await options.scripted?.begin({ layout, state, assertHeld: lock.assertHeld })
  const planned = await planOf(options, record)
  if (!planned.ok) return planned
  const { plan } = planned
  const activities = createActivities(systemClock)
  if (options.onActivity) activities.listen(options.onActivity)
  const tracing = await tracingOf(options, { held, record })
  await notifyingOf(options, { held, record, plan })
  const start: Start = { options, held, record, plan, activities, tracing }
  const agents = agentsOf(start)
  const opening = await effectsOf(start, agents)
  if (!opening.ok) return opening
  scope.add('watch', () => opening.close())

  const { effects } = opening
  const recovered = await recoverWith(start, opening)
  if (!recovered.ok) return recovered
  const times = await openTimes(journal, plan, options.border?.lostDollars)
  const clock = options.border?.clock ?? systemClock
  const life = { plan, journal, recorder, effects, clock, firstRunId: held.runId, times }
  await finishDeeds(journal)
  const gates = await openGating(options, journal.history, opening.gateEffects)
  const isOver = nothingLeft(plan, recorder.state, times()) && !recovered.startFrom
  if (isOver && !asksAtTheEnd(plan, recorder.state, gates.book)) {
    recordDone(life, startPoint(plan, recorder.state))
    return { ok: true, state: recorder.state, notes: [...held.notes, ...recovered.notes] }
  }
  const notes = [...options.opened.notes, ...held.notes, ...planned.notes, ...recovered.notes]
  for (const note of notes) log.info('START', note)

  const control = createLateControl()
  const isHeld = gates.book.holds.length > 0
  const serving = await serveOn(start, agents, { control: control.control, isHeld })
  if (!serving.ok) return serving
  activities.listen(serving.onActivity)
  await opening.startHealthChecks()
  const met = await openRuling({ rules: options.rules ?? [], journal })
  const { autostart, headless, keepAlive, attended } = options
  const script = options.scripted?.gates
  const answersGates = script && answerGates({ journal, book: gates.book }, script)
  const runner = startRunner({
    ...life,
    autostart,
    headless,
    keepAlive,
    attended,
    gates,
    border: options.border,
    startFrom: recovered.startFrom ?? startPoint(plan, recorder.state),
  })
  control.is(runner)
  met(runner)
  answersGates?.(runner)
  await telemetryOf(start, runner)
  const ending = endingWith(runner, { scope, tidy: opening.tidy })
  return { ok: true, execution: { ...ending, ...serving.urls, notes, state } }
}

function telemetryOf({ options, held, record, plan }: Start, runner: Runner): Promise<void> {
  const { told, weaveVersion, rehearsal, opened } = options
  const { journal, redactor, replayed } = record
  const facts = { told, layout: opened.layout, plan, weaveVersion, rehearsal }
  return startTelemetry(runner, { ...facts, journal, redactor, replayed, scope: held.scope })
}

function tracingOf(options: ExecutionOptions, { held, record }: Pick<Start, 'held' | 'record'>) {
  const { told, environment, weaveVersion, rehearsal, tracesEntry: entry } = options
  const { journal, recorder, redactor, log } = record
  const settings = told?.settings.settings.otel
  const state = (): WeaveState => recorder.state
  const facts = { entry, layout: options.opened.layout, environment, weaveVersion, rehearsal }
  const { assertHeld } = held.lock
  return openTracing({ ...facts, settings, journal, state, redactor, log, assertHeld }, held.scope)
}

function notifyingOf(
  options: ExecutionOptions,
  { held, record, plan }: Pick<Start, 'held' | 'record' | 'plan'>,
) {
  const { layout, executionFile } = options.opened
  const { journal, redactor, log } = record
  const { assertHeld } = held.lock
  const facts = { setup: options.notify, hankName: executionFile.hankName, plan, layout }
  return openNotifying({ ...facts, journal, redactor, log, assertHeld }, held.scope)
}

/** The plan comes first in a journal; then who stands at the borders may put something there. */
async function planOf(
  { opened, plan, adopt, dropGates, border }: ExecutionOptions,
  { journal, recorder }: Pick<OpenedRecord, 'journal' | 'recorder'>,
) {
  const { layout, executionFile } = opened
  const choice = { layout, plan, adopt: adopt !== undefined }
  const planned = await planFor(choice, { journal, state: recorder.state })
  const unknown = planned.ok ? unknownGate(planned.plan, dropGates) : undefined
  if (unknown) return unknown
  // After the plan: a start in between finds the new plan, and only the note of where it came from is old.
  if (planned.ok && adopt)
    await writeExecutionFile(layout.executionFile, { ...executionFile, hankHash: adopt.hankHash })
  if (planned.ok) border?.opened?.((type, data) => void journal.append(type, data))
  return planned
}

function recoverWith({ options, held, record, plan }: Start, { effects, recovering }: OpenedEffects) {
  const { layout } = options.opened
  const { journal, recorder, replayed } = record
  const { tookOver } = held
  const { rollback } = effects
  return recover({ layout, journal, recorder, replayed, plan, rollback, recovering, tookOver })
}

function agentsOf({ options, held, record }: Start) {
  const { programs, harnesses, agents, scripted, logLevel, environment } = options
  const { journal, recorder, redactor, log } = record
  const proxy = options.proxy && {
    ...options.proxy,
    layout: options.opened.layout,
    redactor,
    assertHeld: held.lock.assertHeld,
    state: () => recorder.state,
    environment,
    logLevel,
    allowOtherUsers: options.server.allowOtherUsers,
  }
  return openAgents(
    {
      programs,
      harnesses,
      agents,
      scripted,
      proxy,
      serverId: held.serverId,
      journal,
      log,
      settings: options.agentSettings,
      onOwned: options.onOwned,
    },
    held.scope,
  )
}

type Agents = ReturnType<typeof agentsOf>

function effectsOf(
  { options, held, record, plan, activities, tracing }: Start,
  { own, harnessFor, proxyUrl }: Agents,
) {
  const { environment, sentinels, priceOf, environmentFor, serversFor } = options
  const { outputDirectory, overwriteOutput, ignoreRigFailures } = options
  const { journal, recorder, redactor } = record
  return openEffects({
    plan,
    layout: options.opened.layout,
    journal,
    recorder,
    redactor,
    clock: systemClock,
    serverId: held.serverId,
    environment,
    assertHeld: held.lock.assertHeld,
    own,
    agents: { harnessFor, proxyUrl, priceOf, environmentFor, serversFor, traceparent: tracing.traceparent },
    sentinels,
    files: { outputDirectory, overwriteOutput, ignoreRigFailures },
    runId: () => currentRun(recorder.state)?.runId ?? '',
    activities,
  })
}

function serveOn(
  { options, held, record, plan }: Start,
  { proxy }: Agents,
  steered: { readonly control: Control; readonly isHeld: boolean },
) {
  const { opened, server: settings, weaveVersion, outputDirectory, rehearsal } = options
  const { layout, executionFile } = opened
  const { journal, redactor, log } = record
  const facts = {
    serverVersion: weaveVersion,
    executionPath: layout.dir,
    dataPath: executionFile.dataPath ?? layout.dataSource,
    agentRootPath: layout.agentRoot,
    outputDirectory,
    ...(rehearsal && { rehearsal }),
  }
  const { lock, scope } = held
  if (options.detached) lock.update({ detached: true })
  return serve({ settings, facts, plan, journal, redactor, log, ...steered, proxy, lock }, scope)
}

interface Ending {
  readonly scope: Scope
  /** Packs the checkpoints. Ends soon after the signal aborts; never rejects. */
  readonly tidy: (signal: AbortSignal) => Promise<void>
}

/** After a finished hank the checkpoints are packed, unless that takes long or a shutdown is asked for. */
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
