import type { CommandRow } from './command-row.ts'
import { commands, defaultCommand } from './commands.ts'
import { type Flag, type FlagName, flags, wordOf } from './flags.ts'
import { columns } from './terminal.ts'

/** Help, made from the tables of commands and flags. */
export function helpText(name: string, row: CommandRow): string {
  const isMain = name === defaultCommand
  return [
    `Usage: ${row.usage}`,
    '',
    `  ${sentence(row.summary)}`,
    ...(isMain ? [...examples, ...commandGroups()] : []),
    ...flagGroups(row.flags),
    '',
    isMain
      ? 'More on a command: weave help <command>. The handbook is the folder docs of the package.'
      : more,
  ].join('\n')
}

const more = 'All commands: weave help'

const examples: readonly string[] = [
  '',
  'Examples:',
  ...columns(
    [
      ['weave init my-hank', 'a small hank that explains itself'],
      ['weave rehearse my-hank', 'run it without a key: a script answers instead of a model'],
      ['weave my-hank ./data --max-cost 5', 'run it on data, for five dollars at most'],
      ['weave resume', 'go on with the newest execution'],
    ],
    '    ',
  ),
]

/** Which commands belong together; what is not named here comes last. */
const groupsOfCommands: readonly (readonly [string, readonly string[]])[] = [
  ['Run', ['init', 'validate', 'rehearse', 'resume', 'replay']],
  ['Watch and steer', ['attach', 'next', 'skip', 'redo', 'stop', 'wait']],
  ['Look back', ['list', 'show', 'journal', 'checkpoints', 'diff', 'compare', 'bisect', 'report']],
  ['Go back and tidy up', ['rollback', 'fork', 'gc', 'rm']],
]

const groupsOfFlags: readonly (readonly [string, readonly FlagName[]])[] = [
  ['Which execution', ['execution', 'start-new', 'adopt', 'dry-run', 'force', 'no-wipe']],
  ['Data and outputs', ['input', 'copy', 'output', 'overwrite-output']],
  ['Models and money', ['model', 'max-cost', 'max-time', 'shim-idle-timeout', 'skip-self-test']],
  [
    'How it runs',
    [
      'headless',
      'detach',
      'keep-alive',
      'no-autostart',
      'ignore-rig-failures',
      'proxy',
      'vendor-base-url',
      'record',
    ],
  ],
  ['Clients', ['port', 'host', 'token', 'readonly-only', 'allow-other-users', 'idle-timeout']],
]

function commandGroups(): readonly string[] {
  const shown = Object.entries(commands).filter(([name, { hidden }]) => name !== defaultCommand && !hidden)
  const grouped = inGroups(
    shown.map(([name]) => name),
    groupsOfCommands,
    'More',
  )
  const lines = (names: readonly string[]) =>
    names.flatMap(name => {
      const row = commands[name]
      return row ? [[row.usage, row.summary]] : []
    })
  return withTitles(grouped.map(([title, names]) => [title, lines(names)]))
}

/** A command with few options needs no groups. */
const fewFlags = 12

function flagGroups(names: readonly FlagName[]): readonly string[] {
  const shown = names.filter(name => !(flags[name] as Flag).hidden)
  const groups = shown.length <= fewFlags ? [] : groupsOfFlags
  const grouped = inGroups(shown, groups, groups.length === 0 ? 'Options' : 'Other options')
  return withTitles(grouped.map(([title, inGroup]) => [title, inGroup.map(flagLine)]))
}

type Groups<T> = readonly (readonly [string, readonly T[]])[]

function inGroups<T extends string>(names: readonly T[], groups: Groups<T>, rest: string): Groups<T> {
  const named = new Set(groups.flatMap(([, inGroup]) => inGroup))
  const all: Groups<T> = [
    ...groups.map(([title, inGroup]) => [title, inGroup.filter(name => names.includes(name))] as const),
    [rest, names.filter(name => !named.has(name))],
  ]
  return all.filter(([, inGroup]) => inGroup.length > 0)
}

/** All groups have the same columns, so that the eye finds them. */
function withTitles(
  groups: readonly (readonly [string, readonly (readonly string[])[]])[],
): readonly string[] {
  const lines = columns(groups.flatMap(([, rows]) => rows))
  let at = 0
  return groups.flatMap(([title, rows]) => {
    const own = lines.slice(at, at + rows.length)
    at += rows.length
    return ['', `${title}:`, ...own]
  })
}

function flagLine(name: FlagName): readonly string[] {
  const flag: Flag = flags[name]
  const short = flag.short ? `-${flag.short}, ` : '    '
  return [`${short}--${wordOf(name)}${flag.value ? ` <${flag.value}>` : ''}`, flag.summary]
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
