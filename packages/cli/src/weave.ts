import { red } from './colour.ts'
import { commandWord, mistakenCommand } from './command-word.ts'
import { commands, defaultCommand } from './commands.ts'
import { wrongFlagValues } from './flag-values.ts'
import { parseArguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes, version } from './program.ts'
import { processTerminal, type Terminal } from './terminal.ts'

const known = {
  names: Object.keys(commands),
  shown: Object.entries(commands).flatMap(([name, { hidden }]) => (hidden ? [] : [name])),
  defaultCommand,
}

/** The command `weave`. Returns the exit code; never exits by itself. */
export async function weave(
  words: readonly string[],
  terminal: Terminal = processTerminal,
): Promise<ExitCode> {
  const { name, words: own } = commandWord(words, known)
  const row = commands[name]
  if (!row) return exitCodes.usage
  const mistaken = mistakenCommand(words, known)
  if (mistaken !== undefined) {
    terminal.error(mistaken, red)
    return exitCodes.usage
  }
  const parsed = parseArguments(own, row.flags)
  if (!parsed.ok) {
    terminal.error(parsed.message, red)
    terminal.error(`Run "weave ${name === defaultCommand ? '' : `${name} `}--help" to see what there is.`)
    return exitCodes.usage
  }
  const { switches } = parsed.arguments
  if (switches.has('version')) {
    terminal.out(version)
    return exitCodes.done
  }
  if (switches.has('help')) {
    const { helpText } = await import('./help.ts')
    terminal.out(helpText(name, row))
    return exitCodes.done
  }
  const wrong = await wrongFlagValues(parsed.arguments)
  if (wrong.length > 0) {
    for (const line of wrong) terminal.error(line, red)
    return exitCodes.usage
  }
  const envFile = parsed.arguments.texts['env-file']
  if (envFile !== undefined) {
    const { takeEnvFile } = await import('./env-file.ts')
    const problems = await takeEnvFile(envFile)
    if (problems.length > 0) {
      for (const line of problems) terminal.error(line)
      return exitCodes.failed
    }
  }
  const command = await row.load(parsed.arguments)
  return command(parsed.arguments, terminal)
}
