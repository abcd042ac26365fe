import {
  buildPlan,
  createScriptedHarness,
  findModel,
  type OpenedExecution,
  type Plan,
  type Prepared,
  startExecution,
} from '@weave/runtime'
import { type ExitCode, exitCodes } from '../exit.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Terminal } from '../terminal.ts'
import { report, startReport } from '../validate/report.ts'
import { schemaLine } from '../validate/schema-line.ts'
import { openRun } from './open-run.ts'
import { printEvents } from './print-events.ts'
import { greeting } from './scripted-greeting.ts'
import { onSignals } from './signals.ts'
import { summaryLines } from './summary.ts'

/** `weave [hank] [data]`: checks with `--validate`; otherwise runs without a screen, one line for each thing that happens. */
export async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (args.switches.has('validate'))
    return (await import('../validate/validate.ts')).validateCommand(args, terminal)
  const run = await prepareRun(args)
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  const { prepared } = run
  const added = await schemaLine(prepared)
  if (added !== undefined) terminal.error(added)
  if (!prepared.ok || !prepared.loaded.hank) {
    for (const line of report(prepared, { verbose: false, environment: {} })) terminal.error(line)
    return exitCodes.failed
  }
  for (const line of startReport(prepared)) terminal.error(line)
  if (!args.switches.has('scripted')) {
    terminal.error(
      'This version checks hanks; running them with real agents comes next. Try: weave --validate',
    )
    return exitCodes.failed
  }
  const opened = await openRun(prepared, run.data, args)
  if (!opened.ok) {
    terminal.error(opened.message)
    return exitCodes.failed
  }
  for (const note of [...opened.execution.notes, ...opened.notes]) terminal.error(note)
  return execute({ prepared, opened: opened.execution, args, terminal })
}

interface Run {
  readonly prepared: Prepared
  readonly opened: OpenedExecution
  readonly args: Arguments
  readonly terminal: Terminal
}

async function execute({ prepared, opened, args, terminal }: Run): Promise<ExitCode> {
  const started = await startExecution({
    opened,
    plan: planOf(prepared),
    harnessFor: () => createScriptedHarness(greeting),
    environment: process.env,
    outputDirectory: prepared.paths.outputDirectory,
    overwriteOutput: args.switches.has('overwrite-output'),
    ignoreRigFailures: prepared.settings.settings.ignoreRigFailures,
    autostart: true,
    headless: true,
    onEvent: printEvents(terminal, { json: args.switches.has('json') }),
  })
  if (!started.ok) {
    terminal.error(`${started.message}\n${started.cure}`)
    return exitCodes.failed
  }
  const { execution } = started
  if (!execution) {
    terminal.error(`Nothing is left to do in ${opened.layout.dir}. Use --start-new to run the hank again.`)
    return exitCodes.done
  }
  for (const note of execution.notes) terminal.error(note)
  const signals = onSignals(reason => execution.runner.shutdown(reason), terminal)
  const end = await execution.runner.done
  const state = execution.state()
  for (const problem of await execution.close()) terminal.error(problem)
  signals.close()
  for (const line of summaryLines(state, end, {
    layout: opened.layout,
    outputDirectory: prepared.paths.outputDirectory,
  }))
    terminal.error(line)
  if (signals.exitCode !== undefined && end.status === 'stopped') return signals.exitCode
  return end.status === 'completed' ? exitCodes.done : exitCodes.failed
}

/** The plan of the hank as it is now: every model resolved. */
function planOf({ loaded, settings, registry }: Prepared): Plan {
  const { hank, source } = loaded
  if (!hank || !source) throw new Error('a hank that was not loaded cannot be planned')
  return buildPlan(
    { hank, path: source.path, directory: source.directory },
    {
      modelOf: codon => {
        const name = settings.modelOverride?.value ?? codon.model ?? settings.modelFallback?.value ?? ''
        const model = findModel(name, registry)
        if (!model) throw new Error(`the model ${name} was not resolved`)
        return { id: model.id, provider: model.provider, harness: model.harness, identity: model.identity }
      },
      shimIdleTimeout: settings.settings.shimIdleTimeout,
    },
  )
}
