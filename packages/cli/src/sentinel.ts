import { homedir } from 'node:os'
import { dirname, relative, resolve, sep } from 'node:path'
import {
  accessFrom,
  additionsOf,
  codonRuns,
  complete,
  createRedactor,
  createRegistry,
  type ExecutionLayout,
  findModel,
  formatProblem,
  type JournalDamage,
  openWorkbench,
  reachingOwn,
  readEvents,
  readExecutionFile,
  readSentinelFile,
  secretsOf,
  systemClock,
  type Trial,
} from '@weave/runtime'
import { dollarsText, harmless } from 'weave-client'
import { chooseExecution } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { asThread, type ExitCode, exitCodes } from './program.ts'
import type { Terminal } from './terminal.ts'

/** `weave sentinel test <config>`: what a sentinel would have done in an execution. `--dry` asks no model. */
export async function sentinelCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [word, config] = args.positionals
  if (word !== 'test' || config === undefined) {
    terminal.error('Say which sentinel to try: weave sentinel test <config>.')
    return exitCodes.usage
  }
  const found = await chooseExecution(args, terminal)
  if (!found.ok) return found.code
  return tryOut({ config: resolve(config), layout: found.layout, args, terminal })
}

interface Tryout {
  readonly config: string
  readonly layout: ExecutionLayout
  readonly args: Arguments
  readonly terminal: Terminal
}

async function tryOut(tryout: Tryout): Promise<ExitCode> {
  const { layout, terminal, args } = tryout
  const bench = await benchFor(tryout)
  if (!bench) return exitCodes.failed
  const { codon } = args.texts
  const damaged = ({ message }: JournalDamage) => terminal.error(message)
  let runs = 0
  for await (const run of codonRuns(eventsOf(layout, damaged))) {
    if (codon !== undefined && run.codon.id !== codon && !run.codon.id.startsWith(`${codon}#`)) continue
    runs++
    terminal.out(`${run.codon.id}: ${run.events.length} events`)
    for await (const trial of bench.tryOn(run)) for (const line of trialLines(trial)) terminal.out(line)
  }
  await bench.close()
  if (runs > 0) return exitCodes.done
  terminal.error(codon === undefined ? 'No codon has run there yet.' : `No codon ${codon} has run there.`)
  return exitCodes.failed
}

async function* eventsOf(layout: Tryout['layout'], damaged: (damage: JournalDamage) => void) {
  for await (const { event } of readEvents(layout, {}, damaged)) yield event
}

async function benchFor({ config, layout, args, terminal }: Tryout) {
  const hankDir = await hankDirectory(config, layout.executionFile)
  const checked = await readSentinelFile(hankDir, relative(hankDir, config).split(sep).join('/'))
  for (const problem of checked.problems) terminal.error(formatProblem(problem))
  if (!checked.sentinel) return undefined
  const { registry } = await createRegistry({ additions: additionsOf({ home: homedir() }) })
  const bench = await openWorkbench({
    sentinel: checked.sentinel,
    hankDir,
    agentRoot: layout.agentRoot,
    modelOf: name => findModel(name, registry),
    accessTo: model => accessFrom(model, reachingOwn(process.env, registry)),
    call: args.switches.has('dry') ? undefined : complete,
    clock: systemClock,
    redactor: createRedactor(secretsOf(process.env)),
    sandboxEntry: asThread('sentinel-sandbox'),
    signal: untilInterrupted(),
  })
  if (bench.ok) return bench
  terminal.error(`The sentinel cannot be used: ${bench.message}.`)
  return undefined
}

/** The directory of the hank that was run, if the configuration lies in it; it may name files beside its own folder. */
async function hankDirectory(config: string, executionFile: string): Promise<string> {
  const read = await readExecutionFile(executionFile)
  const hankDir = read.kind === 'read' ? dirname(read.file.hankPath) : undefined
  const isInside = hankDir !== undefined && config.startsWith(hankDir + sep)
  return isInside ? hankDir : dirname(config)
}

function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  process.once('SIGTERM', () => controller.abort())
  return controller.signal
}

/** One trigger of a sentinel, for people. */
export function trialLines(trial: Trial): readonly string[] {
  const { number, at, batch, systemPrompt, userPrompt, said, charge, problem } = trial
  const events = `${batch.eventCount} ${batch.eventCount === 1 ? 'event' : 'events'}`
  return [
    `  #${number}  ${at.toISOString()}  ${events}`,
    ...block('system', systemPrompt),
    ...block('prompt', userPrompt),
    ...block('answer', said && answerText(said.content)),
    ...block('problem', problem),
    ...(charge ? [`    cost    ${dollarsText(charge.dollars, { unknown: charge.isUnknown })}`] : []),
  ]
}

function answerText(content: NonNullable<Trial['said']>['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2)
}

function block(title: string, text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const [first = '', ...more] = harmless(text.trimEnd()).split('\n')
  return [`    ${title.padEnd(8)}${first}`, ...more.map(line => `            ${line}`)]
}
