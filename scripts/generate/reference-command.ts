import { commands } from '../../packages/cli/src/commands.ts'
import { type Flag, flags, wordOf } from '../../packages/cli/src/flags.ts'
import { exitCodes } from '../../packages/cli/src/program.ts'
import { code, prose, table } from './field-table.ts'
import type { Generated } from './generated.ts'

/** `docs/reference/cli.md`, from the tables of commands and flags. */
export const commandPage: Generated = {
  path: 'docs/reference/cli.md',
  content: () => `${page().join('\n\n')}\n`,
}

const visible = Object.entries(commands).filter(([, { hidden }]) => !hidden)
const everywhere = ['no-color', 'help', 'version'] as const

function page(): readonly string[] {
  return [
    '# The command line',
    `Generated from the tables of the command by ${code('npm run generate')}. Do not edit. ${code('weave <command> --help')} prints the same.`,
    table(
      ['command', 'what it does'],
      visible.map(([name, { summary }]) => [`[${name}](#${name})`, summary]),
    ),
    `Every command takes ${everywhere.map(name => code(`--${name}`)).join(', ')}.`,
    ...visible.flatMap(([name, { usage, summary, flags: names }]) => [
      `## ${name}`,
      `${code(usage)}: ${prose(summary)}.`,
      ...flagTable(
        names
          .filter(flag => !everywhere.some(common => common === flag))
          .map(flag => [wordOf(flag), flags[flag]]),
      ),
    ]),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.entries(exitCodes).map(([word, number]) => [
        code(String(number)),
        exitWords[word as keyof typeof exitCodes],
      ]),
    ),
  ]
}

export const exitWords: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'the hank completed, nothing was left to do, or the check passed',
  failed: 'the run failed, or the configuration is invalid',
  waits: 'the run waits for a person at a gate',
  unreachable: 'the engine or the store of a fleet cannot be reached',
  refused: 'the fleet refuses this program: version, root, schema',
  usage: 'wrong usage: an unknown option, a missing word',
  interrupted: 'ended by SIGINT before the hank was done',
  terminated: 'ended by SIGTERM before the hank was done',
}

function flagTable(rows: readonly (readonly [string, Flag])[]): readonly string[] {
  const shown = rows.filter(([, { hidden }]) => !hidden)
  if (shown.length === 0) return []
  return [
    table(
      ['option', 'meaning', 'setting'],
      shown.map(([name, { short, value, summary, setting }]) => [
        `${short === undefined ? '' : `${code(`-${short}`)}, `}${code(`--${name}${value === undefined ? '' : ` <${value}>`}`)}`,
        summary,
        setting === undefined ? '' : code(setting),
      ]),
    ),
  ]
}
