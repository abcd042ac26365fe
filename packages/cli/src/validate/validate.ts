import type { Prepared } from '@weave/runtime'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { createWaiting } from '../waiting.ts'
import type { HanksToCheck } from './check-hanks.ts'
import { hankWords } from './hank-words.ts'
import { planReport, verdictReport } from './report.ts'
import { type AddedSchema, addSchema } from './schema-line.ts'
import { earlierOf, verdictJson } from './verdict-json.ts'

/** `weave validate`: everything that can be known before a token is spent, of one hank or of many. */
export async function validateCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { switches, texts, positionals } = args
  const usage = (message: string): ExitCode => {
    terminal.error(message)
    return exitCodes.usage
  }
  const format = texts.format ?? (switches.has('json') ? 'json' : 'text')
  if (switches.has('json') && format !== 'json') return usage('--json is --format json: use one of them.')
  const words = hankWords(positionals, { data: texts.data, workingDirectory: process.cwd() })
  if (!words.ok) return usage(words.usage)
  if (switches.has('watch')) {
    if (format !== 'text') return usage('--watch prints lines for people: leave out --format and --json.')
    const { watchHanks } = await import('./watch.ts')
    return watchHanks(args, terminal, words)
  }
  const isPlain = format === 'text' || format === 'json'
  if (isPlain && words.hanks.length < 2 && texts.format === undefined) {
    return validateOne({ ...args, positionals: wordsOf(words, positionals) }, terminal)
  }
  const { validateMany } = await import('./validate-many.ts')
  return validateMany(args, terminal, { ...words, format })
}

/** As they stand, when they are words of a run; a glob and `--data` are filled in. */
function wordsOf({ hanks: [hank = '.'], data }: HanksToCheck, given: readonly string[]): readonly string[] {
  if (data !== undefined) return [hank, data]
  return given.length === 0 || given[0] === hank ? given : [hank]
}

/** The verdict on one hank, for people or, with `--json`, for programs. */
export async function validateOne(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const isJson = args.switches.has('json')
  const waiting = createWaiting(terminal)
  let schema: AddedSchema | undefined
  const printPlan = async (prepared: Prepared): Promise<void> => {
    schema = await addSchema(prepared)
    if (schema.message !== undefined) terminal.out(schema.message)
    const options = { verbose: args.switches.has('verbose'), environment: process.env }
    for (const line of planReport(prepared, { ...options, earlier: await earlierOf(prepared) }))
      terminal.out(line, paintVerdict)
  }
  const run = await prepareRun(args, {
    checksData: true,
    // A provider may take its time: a person reads the plan meanwhile.
    async onAsking(found, providers) {
      if (!isJson) await printPlan(found)
      waiting.for(`Asking ${providers.join(', ')}`)
    },
  })
  waiting.done()
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  const { prepared } = run
  if (isJson) {
    const { moved } = await addSchema(prepared)
    terminal.json(JSON.stringify(await verdictJson(moved(prepared), process.env), null, 2))
  } else {
    if (!schema) await printPlan(prepared)
    for (const line of verdictReport(schema?.moved(prepared) ?? prepared)) terminal.out(line, paintVerdict)
  }
  return prepared.ok ? exitCodes.done : exitCodes.failed
}
