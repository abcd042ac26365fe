import {
  findModel,
  type Harnesses,
  isLogLevel,
  logLevels,
  type OpenedExecution,
  type OpenRehearsal,
  type Plan,
  type Prepared,
  startExecution,
} from '@weave/runtime'
import { type ExitCode, exitCodes } from '../exit.ts'
import { ownPrograms, sandboxEntry } from '../own-programs.ts'
import type { Arguments } from '../parse-arguments.ts'
import { planOf } from '../plan-of.ts'
import type { Terminal } from '../terminal.ts'
import { report, startReport } from '../validate/report.ts'
import { schemaLine } from '../validate/schema-line.ts'
import { version } from '../version.ts'
import { openRun } from './open-run.ts'
import { printEvents } from './print-events.ts'
import { onSignals } from './signals.ts'
import { summaryLines } from './summary.ts'

export interface RunContext {
  readonly args: Arguments
  readonly terminal: Terminal
  /** Of the run; a rehearsal has another than this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly rehearsal?: OpenRehearsal
  /** Other agents than those of the two SDKs. */
  readonly harnesses?: Harnesses
}

/** Runs a hank that was prepared, if nothing stands in its way. */
export async function execute(
  context: RunContext,
  { prepared, data }: { readonly prepared: Prepared; readonly data?: string | undefined },
): Promise<ExitCode> {
  const { args, terminal, rehearsal } = context
  const added = await schemaLine(prepared)
  if (added !== undefined) terminal.error(added)
  const plan = planOf(prepared)
  if (!prepared.ok || !plan) {
    for (const line of report(prepared, { verbose: false, environment: {} })) terminal.error(line)
    return exitCodes.failed
  }
  const level = args.texts['log-level'] ?? 'info'
  if (!isLogLevel(level)) {
    terminal.error(`There is no log level ${level}. Choose one of ${logLevels.join(', ')}.`)
    return exitCodes.usage
  }
  for (const line of startReport(prepared)) terminal.error(line)
  const opened = await openRun({ prepared, named: data, args, rehearsal: rehearsal !== undefined })
  if (!opened.ok) {
    terminal.error(opened.message)
    return exitCodes.failed
  }
  for (const note of [...opened.execution.notes, ...opened.notes]) terminal.error(note)
  rehearsal?.workIn(opened.execution.layout.agentRoot)
  return run(context, { prepared, plan, opened: opened.execution, level })
}

interface Ready {
  readonly prepared: Prepared
  readonly plan: Plan
  readonly opened: OpenedExecution
  readonly level: (typeof logLevels)[number]
}

async function run(context: RunContext, ready: Ready): Promise<ExitCode> {
  const { terminal, rehearsal } = context
  const { prepared, opened } = ready
  const started = await startExecution(optionsOf(context, ready))
  if (!started.ok) {
    terminal.error(`${started.message}\n${started.cure}`)
    return exitCodes.failed
  }
  const { execution } = started
  if (!execution) {
    terminal.error(`Nothing is left to do in ${opened.layout.dir}. Use --start-new to run the hank again.`)
    return exitCodes.done
  }
  terminal.error(`Execution  ${opened.layout.dir}`)
  terminal.error(`Clients    ${execution.url}`)
  for (const note of execution.notes) terminal.error(note)
  const signals = onSignals(reason => execution.runner.shutdown(reason), terminal)
  const end = await execution.runner.done
  const state = execution.state()
  for (const problem of await execution.close()) terminal.error(problem)
  signals.close()
  const places = {
    layout: opened.layout,
    outputDirectory: prepared.paths.outputDirectory,
    isRehearsal: rehearsal !== undefined,
  }
  for (const line of summaryLines(state, end, places)) terminal.error(line)
  if (signals.exitCode !== undefined && end.status === 'stopped') return signals.exitCode
  return end.status === 'failed' ? exitCodes.failed : exitCodes.done
}

function optionsOf({ args, terminal, environment, rehearsal, harnesses }: RunContext, ready: Ready) {
  const { prepared, plan, opened, level } = ready
  const { settings } = prepared.settings
  const { switches, texts } = args
  return {
    opened,
    plan,
    programs: ownPrograms(),
    harnesses,
    priceOf: (provider: string, id: string) => findModel(`${provider}/${id}`, prepared.registry)?.prices,
    environment,
    secrets: process.env,
    ...(rehearsal && { environmentFor: rehearsal.environmentFor }),
    sentinels: {
      settings: settings.sentinel,
      sandboxEntry: sandboxEntry(),
      modelOf: (name: string) => findModel(name, prepared.registry),
      ...(rehearsal && { keyFor: rehearsal.sentinelKeyFor }),
    },
    outputDirectory: prepared.paths.outputDirectory,
    overwriteOutput: switches.has('overwrite-output'),
    ignoreRigFailures: settings.ignoreRigFailures,
    autostart: settings.autostart,
    headless: true,
    keepAlive: switches.has('keep-alive'),
    server: {
      port: settings.port,
      host: texts.host,
      token: texts.token ?? process.env['WEAVE_TOKEN'],
      readonlyOnly: settings.readonlyOnly,
      idleTimeoutSeconds: settings.idleTimeout,
      allowOtherUsers: switches.has('allow-other-users'),
    },
    logLevel: level,
    weaveVersion: version,
    rehearsal: rehearsal !== undefined,
    onEvent: printEvents(terminal, { json: switches.has('json') }),
  }
}
