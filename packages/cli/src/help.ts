import { type CommandRow, commands, defaultCommand } from './commands.ts'
import { type Flag, type FlagName, flags } from './flags.ts'
import { columns } from './terminal.ts'

/** Help, made from the tables of commands and flags. */
export function helpText(name: string, row: CommandRow): string {
  const others = Object.entries(commands).filter(([other, { hidden }]) => other !== defaultCommand && !hidden)
  const list =
    name === defaultCommand && others.length > 0 ? ['', 'Commands:', ...columns(others.map(commandLine))] : []
  return [
    `Usage: ${row.usage}`,
    '',
    `  ${sentence(row.summary)}`,
    ...list,
    '',
    'Options:',
    ...columns(flagLines(row.flags)),
  ].join('\n')
}

function commandLine([, row]: readonly [string, CommandRow]): readonly [string, string] {
  return [row.usage, row.summary]
}

function flagLines(names: readonly FlagName[]): readonly (readonly [string, string])[] {
  return names
    .map((name): readonly [FlagName, Flag] => [name, flags[name]])
    .filter(([, flag]) => !flag.hidden)
    .map(([name, flag]) => {
      const short = flag.short ? `-${flag.short}, ` : '    '
      return [`${short}--${name}${flag.value ? ` <${flag.value}>` : ''}`, flag.summary]
    })
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
