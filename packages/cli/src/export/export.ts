import { homedir } from 'node:os'
import {
  createRedactor,
  type ExecutionLayout,
  readLock,
  readSpans,
  secretsOf,
  settled,
  systemClock,
} from '@weave/runtime'
import { type ChosenExecution, chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { openTarget, type Target, type Totals } from './otlp-target.ts'
import { chosenRuns } from './runs.ts'

/** `weave export [execution] --otlp`: the journal of an execution as OpenTelemetry spans. */
export async function exportCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { switches, positionals } = args
  if (!switches.has('otlp')) {
    terminal.error('Say what to export: weave export --otlp sends OpenTelemetry spans.')
    return exitCodes.usage
  }
  const settings = await otelSettings(args)
  const target = await openTarget(args, settings.names)
  if (!target.ok) {
    terminal.error(target.message)
    return target.isUsage ? exitCodes.usage : exitCodes.failed
  }
  for (const warning of target.warnings) terminal.error(warning)
  const found = await chooseExecution(args, terminal, { word: positionals[0] })
  if (!found.ok) {
    await target.target.close()
    return found.code
  }
  return exported(found, { args, settings, target: target.target }, terminal)
}

type OtelSettings = Awaited<ReturnType<typeof otelSettings>>

/** What flags say, else what a run would do. */
async function otelSettings({ texts }: Arguments) {
  const { settings } = await settled({
    flags: [],
    runtimeConfig: texts['runtime-config'],
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  const { content, names } = settings.otel
  return {
    content: contents.find(level => level === texts.content) ?? content,
    names: vocabularies.find(name => name === texts.names) ?? names,
  }
}

const contents = ['none', 'tools', 'all'] as const
const vocabularies = ['1.41', 'latest'] as const

interface Wish {
  readonly args: Arguments
  readonly settings: OtelSettings
  readonly target: Target
}

async function exported(found: ChosenExecution, wish: Wish, terminal: Terminal): Promise<ExitCode> {
  const { layout, file } = found
  const { args, settings, target } = wish
  const isLive = await isHeld(layout)
  const read = await readSpans({
    layout,
    ...settings,
    rehearsal: file?.rehearsal === true,
    isLive,
    redactor: createRedactor(secretsOf(process.env)),
    onDamage: ({ file: segment, offset }) =>
      terminal.error(`The journal is not as it was written: ${segment} at byte ${offset}.`),
  })
  if (!read) {
    await target.close()
    terminal.error('Nothing has happened in this execution yet: there is nothing to export.')
    return exitCodes.failed
  }
  const runs = chosenRuns(args.texts.run)
  try {
    for await (const spans of read.spans()) {
      const failure = await target.take(runs.of(spans))
      if (failure !== undefined) return await failed(failure, target, terminal)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(`The journal in ${layout.journal} cannot be read: ${why}.`, target, terminal)
  }
  const problem = runs.problem() ?? (await target.close())
  if (problem !== undefined) return failed(problem, target, terminal)
  tell({ ...target.totals(), traceId: read.traceId, isLive }, { args, target }, terminal)
  return exitCodes.done
}

async function failed(message: string, target: Target, terminal: Terminal): Promise<ExitCode> {
  await target.close()
  terminal.error(message)
  return exitCodes.failed
}

interface Outcome extends Totals {
  readonly traceId: string
  readonly isLive: boolean
}

function tell(outcome: Outcome, { args, target }: Pick<Wish, 'args' | 'target'>, terminal: Terminal): void {
  const { spans, runs, traceId, isLive } = outcome
  // What is printed may be the spans themselves.
  const say = target.isStdout ? terminal.error : terminal.out
  if (args.switches.has('json')) {
    const text = JSON.stringify({ spans, runs, traceId, isLive, ...target.place })
    if (target.isStdout) terminal.error(text)
    else terminal.json(text)
    return
  }
  say(`${target.verb} ${plural(spans, 'span')} of ${plural(runs, 'run')}${target.where}. Trace ${traceId}`)
  if (isLive) terminal.error('A run goes on in it: spans that are not over yet are not among them.')
}

async function isHeld({ lockFile }: ExecutionLayout): Promise<boolean> {
  return (await readLock(lockFile, systemClock)).kind === 'held'
}
