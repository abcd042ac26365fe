import { homedir } from 'node:os'
import { basename } from 'node:path'
import {
  type ExecutionOptions,
  findModel,
  type Harnesses,
  loginFiles,
  logLevels,
  type NotifyConfig,
  type OpenedExecution,
  type OpenRehearsal,
  type Plan,
  type Prepared,
  piSecrets,
  reachingOwn,
  serverSecrets,
  startExecution,
  systemClock,
} from '@weave/runtime'
import { paintStanding, paintVerdict } from '../colour.ts'
import { detachedWords, goOnCommand } from '../go-on.ts'
import { isDirectory } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { asThread, type ExitCode, exitCodes, ownPrograms, version } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { report } from '../validate/report.ts'
import { addSchema } from '../validate/schema-line.ts'
import { createWaiting } from '../waiting.ts'
import type { RunWeb } from '../web/run-web.ts'
import { choosePlan } from './choose-plan.ts'
import type { ReadyRun } from './detached-message.ts'
import { notifyWish } from './notify-wish.ts'
import { openRun } from './open-run.ts'
import { readyTraffic } from './recording.ts'
import { createRunDisplay, type RunDisplay, wantsColor, wantsTerminalUi } from './run-display.ts'
import { createShutdownLimit, endAtOnce, endWithoutExecution, lastWords, onSignals } from './shutdown.ts'
import { keepHeapSmall } from './small-heap.ts'
import { proxyBox, summaryLines } from './summary.ts'
import { endOf, type TurnTies } from './turn-ties.ts'
import { upstreamOf, waysOf } from './ways.ts'

export interface RunContext extends TurnTies {
  readonly args: Arguments
  readonly terminal: Terminal
  /** As it is outside; a rehearsal makes another one of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly rehearsal?: OpenRehearsal
  /** Told which execution this start uses, before it does. */
  readonly onOpened?: (layout: OpenedExecution['layout']) => void
  /** Told when every check has passed. */
  readonly onChecked?: () => void
  /** Told once clients may come. */
  readonly onReady?: (ready: ReadyRun) => void
  /** Other agents than those of the two SDKs. */
  readonly harnesses?: Harnesses
  /** How long a shutdown may take, when not as long as usual. */
  readonly shutdownMs?: number
}

/**
 * What the process says at its end; that nothing has begun, and what the process then says; or that a person wants the
 * execution to go on with the edited hank.
 */
export type RunOutcome = ExitCode | { readonly notBegun: ExitCode } | { readonly adoptIn: string }

/** Runs a hank that was prepared, if nothing stands in its way. */
export async function execute(
  context: RunContext,
  { prepared: found, data }: { readonly prepared: Prepared; readonly data?: string | undefined },
): Promise<RunOutcome> {
  const { args, terminal, rehearsal } = context
  const schema = await addSchema(found)
  if (schema.message !== undefined) terminal.error(schema.message)
  const prepared = schema.moved(found)
  const { plan: planned } = prepared
  if (!prepared.ok || !planned) {
    for (const line of report(prepared, { verbose: false, environment: {} }))
      terminal.error(line, paintVerdict)
    return { notBegun: exitCodes.failed }
  }
  const level = logLevels.find(name => name === args.texts['log-level']) ?? 'info'
  const isDetaching = args.switches.has('detach')
  // The directory of a recording belongs to the process that records.
  const record = isDetaching ? undefined : args.texts.record
  const traffic = await readyTraffic({ record, rehearsal }, planned)
  if (!traffic.ok) {
    terminal.error(traffic.message)
    return { notBegun: exitCodes.failed }
  }
  const { plan = planned } = traffic
  const told = await notifyWish(args, { isRehearsal: rehearsal !== undefined }, terminal)
  if (!told.ok) return { notBegun: exitCodes.failed }
  const waiting = createWaiting(terminal)
  waiting.for('Reading the data')
  const { dataHash } = context
  const opened = await openRun({ prepared, named: data, args, dataHash, rehearsal: rehearsal !== undefined })
  waiting.done()
  if (!opened.ok) {
    terminal.error(opened.message)
    return { notBegun: exitCodes.failed }
  }
  const { execution, notes } = opened
  context.onOpened?.(execution.layout)
  for (const note of [...traffic.warnings, ...execution.notes, ...notes]) terminal.error(note)
  const chosen = await choosePlan({ prepared, plan, opened: execution, args }, terminal)
  if (!chosen.ok) return { notBegun: chosen.exitCode }
  const { adopt } = chosen
  if (!(await mayDropGates(args, terminal))) return { notBegun: exitCodes.failed }
  if (isDetaching) {
    const { runDetached } = await import('./detach.ts')
    const hank = prepared.loaded.source?.path
    const { dir } = execution.layout
    const { executionBaseDir } = prepared.paths
    const isRehearsal = rehearsal !== undefined
    return runDetached(
      { layout: execution.layout, args, terminal, executionBaseDir },
      detachedWords({ dir, isRehearsal }, args, { hank, adopt: adopt !== undefined }),
    )
  }
  context.onChecked?.()
  const letGrow = keepHeapSmall(systemClock)
  const ready = {
    prepared,
    plan,
    adopt,
    opened: execution,
    level,
    record: traffic.record,
    notify: told.config,
  }
  return run(context, ready).finally(letGrow)
}

interface Ready {
  readonly prepared: Prepared
  readonly plan: Plan
  readonly adopt: ExecutionOptions['adopt']
  readonly opened: OpenedExecution
  readonly level: (typeof logLevels)[number]
  /** Where the traffic is recorded, if it is. */
  readonly record: string | undefined
  /** Who is told of the run. */
  readonly notify: NotifyConfig | undefined
}

async function run(context: RunContext, ready: Ready): Promise<RunOutcome> {
  const { rehearsal } = context
  const { prepared, opened } = ready
  const goOn = goOnCommand({ dir: opened.layout.dir, isRehearsal: rehearsal !== undefined }, context.args)
  const exit = (code: ExitCode): void => endAtOnce(context.terminal, code, goOn)
  const display = displayOf(context, ready, () => exit(exitCodes.interrupted))
  const { terminal } = display
  const limit = createShutdownLimit(lastWords(context.terminal), { milliseconds: context.shutdownMs, exit })
  const ignored = isDetached(context.args) ? hangups : undefined
  const signals = onSignals(terminal, { limit, exit, ignored })
  const letGo = (): void => {
    limit.close()
    signals.close()
  }
  const web = await webOf(ready)
  const given = optionsOf({ ...context, terminal }, { ...ready, display })
  const started = await startExecution({
    ...given,
    server: { ...given.server, ...web?.server },
    onLost: reason => endWithoutExecution(context.terminal, reason),
  })
  if (!started.ok) {
    letGo()
    await web?.close()
    terminal.error(`${started.message}\n${started.cure}`)
    return exitCodes.failed
  }
  const { execution } = started
  if (!execution) {
    letGo()
    await web?.close()
    for (const note of started.notes) terminal.error(note)
    terminal.error(`Nothing is left to do in ${opened.layout.dir}. Use --start-new to run the hank again.`)
    return exitCodes.done
  }
  signals.endBy(reason => execution.runner.shutdown(reason))
  void execution.runner.leaving.then(why => limit.begin(() => signals.exitCode ?? stoppedCode(display, why)))
  terminal.error(`Execution  ${opened.layout.dir}`)
  terminal.error(`Clients    ${execution.url}`)
  // What a detached run says goes into a file, and no key ever does.
  if (web && !isDetached(context.args)) terminal.error(`Dashboard  ${web.link(execution.url)}`)
  if (execution.proxyUrl !== undefined) {
    const box = { proxyUrl: execution.proxyUrl, upstream: upstreamOf(rehearsal, prepared) }
    for (const line of proxyBox(box)) terminal.error(line)
  }
  for (const note of execution.notes) terminal.error(note)
  context.onReady?.({ execution: opened.layout.dir, url: execution.url, pid: process.pid })
  await display.begin(execution)
  const end = await endOf(execution.runner, context)
  const state = execution.state()
  for (const problem of await execution.close()) terminal.error(problem)
  await web?.close()
  await display.end()
  letGo()
  if (display.wish === 'adopt') return { adoptIn: opened.layout.dir }
  const places = {
    layout: opened.layout,
    outputDirectory: prepared.paths.outputDirectory,
    hasOutputs: isDirectory(prepared.paths.outputDirectory),
    isRehearsal: rehearsal !== undefined,
    goOn,
    showsCosts: !display.hasScreen || prepared.settings.settings.showCosts,
  }
  for (const line of summaryLines(state, end, places)) terminal.error(line, paintStanding)
  if (end.gate !== undefined) return exitCodes.waits
  if (end.status === 'stopped') return signals.exitCode ?? stoppedCode(display, end.reason)
  return end.status === 'failed' ? exitCodes.failed : exitCodes.done
}

async function webOf({ prepared, opened }: Ready): Promise<RunWeb | undefined> {
  const { enabled, readonly } = prepared.settings.settings.web
  if (!enabled) return undefined
  return (await import('../web/run-web.ts')).openRunWeb(opened.layout, readonly)
}

/** Of a run that no signal stopped: a client may, which is no failure; a person who leaves the screen has not got a result. */
function stoppedCode({ isAbandoned, wasLeft }: RunDisplay, reason: string | undefined): ExitCode {
  if (wasLeft(reason)) return exitCodes.interrupted
  return isAbandoned ? exitCodes.failed : exitCodes.done
}

/** On a terminal a person sees the run on a screen; otherwise it says lines. */
function displayOf(
  { args, terminal }: RunContext,
  { prepared, opened }: Ready,
  forced: () => void,
): RunDisplay {
  const { switches } = args
  const { showCosts: costs } = prepared.settings.settings
  const ui = { token: tokenOf(args), costs, color: wantsColor(switches) }
  return createRunDisplay({
    terminal,
    json: switches.has('json'),
    name: basename(opened.layout.dir),
    ui: wantsTerminalUi(switches) ? ui : undefined,
    keepAlive: switches.has('keep-alive'),
    forced,
  })
}

/** Whose terminal may be gone long ago. */
function isDetached({ switches }: Arguments): boolean {
  return switches.has('detached')
}

const hangups = ['SIGHUP'] as const

function droppedGates({ texts }: Arguments): readonly string[] {
  return (texts['no-gate'] ?? '').split(',').filter(Boolean)
}

/** To go past what somebody wanted to be asked takes a yes. */
async function mayDropGates(args: Arguments, terminal: Terminal): Promise<boolean> {
  const dropped = droppedGates(args)
  if (dropped.length === 0) return true
  const { confirm } = await import('../confirm.ts')
  const question = `Leave out gate ${dropped.join(', ')}? The run will not wait there.`
  const confirmed = await confirm(question, args.switches.has('yes'), 'start without --no-gate')
  if (!confirmed.ok) terminal.error(confirmed.message)
  return confirmed.ok
}

function tokenOf({ texts }: Arguments): string | undefined {
  return texts.token ?? process.env['WEAVE_TOKEN']
}

function secretsIn(prepared: Prepared, token: string | undefined): ExecutionOptions['secrets'] {
  return {
    ...piSecrets(homedir()),
    ...reachingOwn(process.env, prepared.registry),
    ...rowSecrets(prepared),
    ...serverSecrets(prepared.servers ?? []),
    '--token': token,
  }
}

/** Secrets that rows of agents in `weave.json` spell out, under names that hide nothing of the environment. */
function rowSecrets({ registry }: Prepared): Readonly<Record<string, string>> {
  const spelled = [...registry.agents].flatMap(([agent, { env = {} }]) =>
    Object.entries(env).flatMap(([name, value]) =>
      value.includes('${') ? [] : [[`agents.${agent}.${name}`, value] as const],
    ),
  )
  return Object.fromEntries(spelled)
}

function serversOf({ servers = [] }: Prepared): ExecutionOptions['serversFor'] {
  return codonId => servers.filter(({ codons }) => codons?.includes(codonId) ?? true)
}

/** The files of a person may lead to a provider and hold a login: a rehearsal has none of them. */
function agentSettingsOf(agents: Prepared['settings']['settings']['agents'], isRehearsal: boolean) {
  const { claude, pi } = agents
  const authFile = isRehearsal ? undefined : loginFiles(homedir(), agents).pi?.path
  return { pi: { ...pi, authFile }, claude: { ...claude, userSettings: claude.userSettings && !isRehearsal } }
}

function recordInto(directory: string, terminal: Terminal) {
  return { directory, onFailure: (message: string) => terminal.error(message) }
}

function optionsOf(
  { args, terminal, environment, rehearsal, harnesses, border, onOwned, gateway }: RunContext,
  { prepared, plan, adopt, opened, level, record, notify, display }: Ready & { readonly display: RunDisplay },
) {
  const { settings } = prepared.settings
  const { switches, texts } = args
  const { reaching, upstream, ...ways } = waysOf({ environment, rehearsal, gateway }, prepared)
  return {
    opened,
    plan,
    adopt,
    programs: ownPrograms(),
    tracesEntry: asThread('traces-thread'),
    harnesses,
    border,
    onOwned,
    agents: prepared.registry.agents,
    agentSettings: agentSettingsOf(settings.agents, rehearsal !== undefined),
    priceOf: (provider: string, id: string) => findModel(`${provider}/${id}`, prepared.registry)?.prices,
    secrets: secretsIn(prepared, texts.token),
    ...ways,
    serversFor: serversOf(prepared),
    sentinels: {
      settings: settings.sentinel,
      sandboxEntry: asThread('sentinel-sandbox'),
      modelOf: (name: string) => findModel(name, prepared.registry),
      reaching,
      ...(rehearsal && { keyFor: rehearsal.sentinelKeyFor }),
    },
    outputDirectory: prepared.paths.outputDirectory,
    overwriteOutput: switches.has('overwrite-output'),
    ignoreRigFailures: settings.ignoreRigFailures,
    autostart: settings.autostart,
    detached: isDetached(args),
    headless: !display.hasScreen,
    attended: display.hasScreen,
    keepAlive: switches.has('keep-alive'),
    dropGates: droppedGates(args),
    onGate: texts['on-gate'] === 'exit' ? ('exit' as const) : ('wait' as const),
    server: {
      port: settings.port,
      host: texts.host,
      token: tokenOf(args),
      readonlyOnly: settings.readonlyOnly,
      idleTimeoutSeconds: settings.idleTimeout,
      allowOtherUsers: switches.has('allow-other-users'),
    },
    ...((!settings.withoutProxy || record !== undefined || rehearsal?.replay) && {
      proxy: {
        upstream,
        replay: rehearsal?.replay,
        ...(record !== undefined && { record: recordInto(record, terminal) }),
      },
    }),
    logLevel: level,
    weaveVersion: version,
    rehearsal: rehearsal !== undefined,
    scripted: rehearsal,
    told: {
      settings: prepared.settings,
      telemetry: { home: homedir(), print: (line: string) => terminal.error(line) },
    },
    rules: prepared.rules,
    ...(notify && {
      notify: { config: notify, say: (line: string) => terminal.error(line), write: display.ring },
    }),
    onEvent: display.onEvent,
    onActivity: display.onActivity,
  }
}
