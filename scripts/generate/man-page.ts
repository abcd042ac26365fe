import { commands, defaultCommand } from '../../packages/cli/src/commands.ts'
import { type Flag, type FlagName, flags, wordOf } from '../../packages/cli/src/flags.ts'
import { exitCodes } from '../../packages/cli/src/program.ts'
import type { Generated } from './generated.ts'
import { exitWords } from './reference-command.ts'

/** `man weave`, from the tables of commands and flags, in the mdoc language. */
export const manPage: Generated = {
  path: 'packages/cli/man/weave.1',
  content: () => `${[...head(), ...commandLines(), ...optionLines(), ...tail()].join('\n')}\n`,
}

/** A man page must have a date, and a page that changes by itself every day would never be current. */
const date = 'November 16, 2026'

const visible = Object.entries(commands).filter(([, { hidden }]) => !hidden)

function head(): readonly string[] {
  return [
    '.\\" Generated from the tables of the command by "npm run generate". Do not edit.',
    `.Dd ${date}`,
    '.Dt WEAVE 1',
    '.Os',
    '.Sh NAME',
    '.Nm weave',
    '.Nd a local runtime for long agent workflows',
    '.Sh SYNOPSIS',
    ...visible.flatMap(([, { usage }]) => ['.Nm', ...argumentLines(usage.split(' ').slice(1))]),
    '.Sh DESCRIPTION',
    '.Nm',
    'runs a hank: a workflow in the file',
    '.Pa hank.json ,',
    'which coding agents work through item by item.',
    'Everything they do is on record, every version of their files is kept,',
    'and a run that was cut off goes on where it was.',
  ]
}

/** `<a|b>` and words as they are; what is in brackets may be left out. */
function argumentLines(words: readonly string[]): readonly string[] {
  return words.map(word => {
    const isOptional = word.startsWith('[')
    const inner = word.replace(/^[[<]|[\]>]$/g, '').replace('...', '')
    const many = word.includes('...') ? ' ...' : ''
    if (isOptional) return `.Op Ar ${inner}${many}`
    return word.startsWith('<') ? `.Ar ${inner.replaceAll('|', ' | ')}${many}` : `.Cm ${word}`
  })
}

function commandLines(): readonly string[] {
  const items = visible.flatMap(([name, { summary, flags: names }]) => [
    `.It ${name === defaultCommand ? 'Nm' : `Cm ${name}`}`,
    ...sentences(summary),
    ...flagNames(names),
  ])
  return ['.Sh COMMANDS', '.Bl -tag -width Ds', ...items, '.El']
}

function flagNames(names: readonly FlagName[]): readonly string[] {
  const shown = names.filter(name => !isHidden(name) && !everywhere.has(name))
  if (shown.length === 0) return []
  const items = shown.map((name, at) => `.Fl -${wordOf(name)}${at === shown.length - 1 ? ' .' : ' ,'}`)
  return ['Options:', ...items]
}

const everywhere: ReadonlySet<FlagName> = new Set(['no-color', 'help', 'version'])

function isHidden(name: FlagName): boolean {
  const flag: Flag = flags[name]
  return flag.hidden === true
}

function optionLines(): readonly string[] {
  const names = Object.keys(flags) as readonly FlagName[]
  const items = names
    .filter(name => !isHidden(name))
    .flatMap(name => {
      const { short, value, summary }: Flag = flags[name]
      const spelled = `${short === undefined ? '' : `Fl ${short} , `}Fl -${wordOf(name)}`
      return [`.It ${spelled}${value === undefined ? '' : ` Ar ${value}`}`, ...sentences(summary)]
    })
  return ['.Sh OPTIONS', '.Bl -tag -width Ds', ...items, '.El']
}

function tail(): readonly string[] {
  const codes = Object.entries(exitCodes).flatMap(([word, code]) => [
    `.It ${code}`,
    ...sentences(exitWords[word as keyof typeof exitCodes]),
  ])
  return [
    '.Sh FILES',
    '.Bl -tag -width Ds',
    ...files.flatMap(([path, words]) => [`.It Pa ${path}`, ...sentences(words)]),
    '.El',
    '.Sh EXIT STATUS',
    '.Bl -tag -width Ds',
    ...codes,
    '.El',
    '.Sh EXAMPLES',
    'A small hank, a run of it without a key, and a run for five dollars at most:',
    '.Bd -literal -offset indent',
    'weave init my-hank',
    'weave rehearse my-hank',
    'weave my-hank --max-cost 5',
    '.Ed',
  ]
}

const files: readonly (readonly [string, string])[] = [
  ['hank.json', 'the workflow'],
  ['weave.json', 'settings of the program'],
  ['~/.weave/harnesses', 'agents that "weave harness add" installed'],
  ['~/.weave-executions', 'executions: journal, checkpoints, workspace'],
]

/** Text as a sentence, with nothing in it that the language would take for its own. A new sentence begins a new line. */
function sentences(text: string): readonly string[] {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  const escaped = whole.replaceAll('\\', '\\e').replaceAll('"', '\\(dq')
  return escaped
    .split(/(?<=[.?!]) (?=[A-Z])/)
    .flatMap(wrapped)
    .map(line => line.replace(/^[.']/, '\\&$&'))
}

const widest = 78

function wrapped(line: string): readonly string[] {
  const lines: string[] = []
  for (const word of line.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < widest) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
