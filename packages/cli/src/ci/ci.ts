import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { hankWords } from '../validate/hank-words.ts'
import { buildMachine } from './build-machine.ts'
import { checkInCi } from './check.ts'

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
  if (checked !== exitCodes.done || mode === 'validate') return checked
  const { runInCi } = await import('./run.ts')
  let code: ExitCode = exitCodes.done
  for (const hank of hanks) {
    const own = await runInCi(argumentsOf(given, mode), machine, { hank, data: words.data, mode })
    if (code === exitCodes.done) code = own
  }
  return code
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
