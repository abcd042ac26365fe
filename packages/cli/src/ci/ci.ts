import { resolve } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { RunCases } from '../validate/formats/junit.ts'
import { hankWords } from '../validate/hank-words.ts'
import { writeWhole } from '../write-file.ts'
import { buildMachine } from './build-machine.ts'
import { type CheckedInCi, checkInCi } from './check.ts'

const modes = ['validate', 'rehearse', 'run'] as const
type Mode = (typeof modes)[number]

/** `weave ci <validate|rehearse|run> <hank...>`: one command for build machines, which asks nothing and tells them what they show. */
export async function ciCommand(given: Arguments, plain: Terminal): Promise<ExitCode> {
  const [word, ...positionals] = given.positionals
  const mode = modes.find(each => each === word)
  const machine = buildMachine(process.env, plain)
  const { terminal } = machine
  const words = hankWords(positionals, { data: given.texts.data, workingDirectory: process.cwd() })
  const usage = wrongUsage(mode, word, given) ?? (words.ok ? undefined : words.usage)
  if (mode === undefined || usage !== undefined || !words.ok) {
    terminal.error(usage ?? '')
    return exitCodes.usage
  }
  const hanks = words.hanks.length > 0 ? words.hanks : ['.']
  if (mode !== 'validate' && given.texts.report !== undefined && hanks.length > 1) {
    terminal.error('--report is the page of one run: name one hank.')
    return exitCodes.usage
  }
  const checked = await checkInCi(given, machine, {
    ...words,
    hanks,
    needsKeys: mode !== 'rehearse',
  })
  if (checked.code !== exitCodes.done || mode === 'validate') return checked.code
  const { runInCi } = await import('./run.ts')
  let code: ExitCode = exitCodes.done
  const runs: RunCases[] = []
  for (const hank of hanks) {
    const own = await runInCi(argumentsOf(given, mode), machine, { hank, data: words.data, mode })
    if (own.cases) runs.push(own.cases)
    if (code === exitCodes.done) code = own.code
  }
  const problem = await writeCases(given.texts.junit, checked.verdicts, runs)
  if (problem === undefined) return code
  terminal.error(problem)
  return code === exitCodes.done ? exitCodes.failed : code
}

/** What was checked and what was run, as one report. Says what went wrong. */
async function writeCases(
  file: string | undefined,
  verdicts: CheckedInCi['verdicts'],
  runs: readonly RunCases[],
): Promise<string | undefined> {
  if (file === undefined) return undefined
  const { junitText } = await import('../validate/formats/junit.ts')
  return writeWhole(resolve(file), junitText(verdicts, runs))
}

function wrongUsage(
  mode: Mode | undefined,
  word: string | undefined,
  { texts }: Arguments,
): string | undefined {
  if (mode === undefined)
    return `Say what to do: weave ci ${modes.join('|')} <hank...>${word === undefined ? '' : `; there is no ${word}`}.`
  if (mode === 'run' && texts['max-cost'] === undefined)
    return 'weave ci run needs --max-cost <dollars>: nobody watches what it spends.'
  return undefined
}

/** Nobody is there to look or to answer, and a rehearsal proves something only from the beginning and to the end. */
function argumentsOf(given: Arguments, mode: Mode): Arguments {
  const more = mode === 'rehearse' ? (['strict', 'start-new'] as const) : []
  return { ...given, switches: new Set([...given.switches, 'headless', ...more]) }
}
