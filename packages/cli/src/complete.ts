import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Flag, type FlagName, flags, wordOf } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import type { Terminal } from './terminal.ts'

interface CommandRow {
  readonly usage: string
  readonly flags: readonly FlagName[]
  readonly hidden?: true
}

interface CommandWords {
  readonly commands: Readonly<Record<string, CommandRow>>
  readonly defaultCommand: string
}

/**
 * `weave complete -- <words…>`, for shells: what the last word, which may be empty, can become, one a line. Runs at every
 * press of a key, so it loads nothing that it can do without, and reads no more than it must.
 */
export function createCompleteCommand(words: CommandWords) {
  return async ({ positionals }: Arguments, terminal: Terminal): Promise<ExitCode> => {
    const last = positionals.at(-1) ?? ''
    // Some shells cannot hand on an empty word; they write it with its quotes.
    const current = last === "''" ? '' : last
    const offers = await offersFor(positionals.slice(0, -1), current, words)
    // A shell may expand what it is offered: only names that mean nothing to it.
    const plain = offers.filter(word => word.startsWith(current) && /^[\w@%+=:,./#-]+$/.test(word))
    if (plain.length > 0) terminal.raw([...new Set(plain)].join('\n'))
    return exitCodes.done
  }
}

type Before = readonly string[]

async function offersFor(before: Before, current: string, words: CommandWords): Promise<readonly string[]> {
  const { commands, defaultCommand } = words
  const visible = Object.entries(commands).flatMap(([name, { hidden }]) => (hidden ? [] : [name]))
  const [first = ''] = before
  const name = visible.includes(first) ? first : defaultCommand
  const row = commands[name]
  if (!row) return []
  const flag = flagNamed(before.at(-1), row)
  if (flag !== undefined && flags[flag].kind === 'text') return valuesOf(flag, before)
  if (current.startsWith('-')) return row.flags.flatMap(spellings)
  const own = wordsOf(row, before)
  if (before.length === 0) return [...visible.filter(each => each !== defaultCommand), ...own]
  return [...own, ...(await things(row, before))]
}

function flagNamed(word: string | undefined, row: CommandRow): FlagName | undefined {
  return row.flags.find(name => spellings(name).includes(word ?? ''))
}

function spellings(name: FlagName): readonly string[] {
  const { hidden, short }: Flag = flags[name]
  if (hidden) return []
  const word = `--${wordOf(name)}`
  return short === undefined ? [word] : [word, `-${short}`]
}

const harnessNames = ['claude', 'pi', 'gemini', 'opencode', 'codex', 'claude-acp']

/** The choices of `<a|b>` in the usage; of `weave harness add` the names. */
function wordsOf({ usage }: CommandRow, before: Before): readonly string[] {
  const choices = /<([\w-]+(?:\|[\w-]+)+)>/.exec(usage)?.[1]?.split('|') ?? []
  if (before.length === 2 && before[0] === 'harness') return before[1] === 'list' ? [] : harnessNames
  return before.length === 1 ? choices : []
}

/** What the usage of a command names: executions, checkpoints. */
async function things({ usage }: CommandRow, before: Before): Promise<readonly string[]> {
  if (usage.includes('<checkpoint')) return checkpoints(before)
  return /[[<]execution/.test(usage) ? executions(before) : []
}

async function valuesOf(name: FlagName, before: Before): Promise<readonly string[]> {
  const { choices }: Flag = flags[name]
  if (choices) return choices
  return askedFlags[name]?.(before) ?? []
}

/** TABLE of the options whose values are things on this machine. */
const askedFlags: Readonly<Partial<Record<FlagName, (before: Before) => Promise<readonly string[]>>>> = {
  execution: executions,
  at: checkpoints,
  good: checkpoints,
  bad: checkpoints,
  codon: codonIds,
  model: models,
}

/** Whether a shell must ask for what can stand after an option, or after a command with this usage. */
export function isAsked(what: { readonly flag: FlagName } | { readonly usage: string }): boolean {
  if ('flag' in what) return Object.hasOwn(askedFlags, what.flag)
  return /[[<](?:execution|checkpoint)/.test(what.usage) || what.usage.startsWith('weave harness')
}

async function baseOf(before: Before): Promise<string> {
  const { executionBaseOf } = await import('./named-execution.ts')
  const at = before.indexOf('--runtime-config')
  const file = at < 0 ? undefined : before[at + 1]
  return executionBaseOf({
    positionals: [],
    switches: new Set(),
    texts: file === undefined ? {} : { 'runtime-config': file },
  })
}

async function executions(before: Before): Promise<readonly string[]> {
  const names = namesIn(await baseOf(before)).filter(name => !name.startsWith('.'))
  return ['@last', ...names.reverse()]
}

/** Of the execution that is named on the line, or the newest by its name. */
async function codonIds(before: Before): Promise<readonly string[]> {
  const base = await baseOf(before)
  const at = before.findIndex(word => word === '-e' || word === '--execution')
  const named = at < 0 ? undefined : before[at + 1]
  const names = namesIn(base)
  const name = names.find(each => each === named) ?? newest(names)
  return name === undefined ? [] : idsIn(join(base, name, '.weave/state.json'))
}

async function checkpoints(before: Before): Promise<readonly string[]> {
  const ids = await codonIds(before)
  return ['last-success', 'start', ...ids.flatMap(id => [id, `${id}:start`])]
}

/** The times at the ends of their names are in order. */
function newest(names: readonly string[]): string | undefined {
  const time = (name: string): string => /\d{8}-\d{6}/.exec(name)?.[0] ?? ''
  return [...names].sort((left, right) => (time(left) < time(right) ? -1 : 1)).at(-1)
}

/** The cached state is enough here: what is not in it yet is not offered. */
function idsIn(stateFile: string): readonly string[] {
  try {
    const text = readFileSync(stateFile, 'utf8')
    return [...new Set([...text.matchAll(/"codonId":"([^"\\]+)"/g)].map(([, id = '']) => id))]
  } catch {
    return []
  }
}

async function models(): Promise<readonly string[]> {
  const { createRegistry } = await import('@weave/runtime')
  const { additionsOf } = await import('@weave/runtime')
  const { registry } = await createRegistry({ additions: additionsOf({ home: homedir() }) })
  return [...registry.aliases.keys(), ...registry.models.map(({ provider, id }) => `${provider}/${id}`)]
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
