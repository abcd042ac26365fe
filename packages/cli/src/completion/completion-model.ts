import { type Flag, type FlagName, flags } from '../flags.ts'

/** The table of commands, as far as it is words. Handed in: the table itself loads this. */
export interface CommandWords {
  readonly commands: Readonly<Record<string, CommandRow>>
  /** The one that has no word of its own. */
  readonly defaultCommand: string
}

interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  readonly hidden?: true
}

/** What a shell can offer, read off the tables of commands and flags. */
export interface CompletionModel {
  readonly commands: readonly CompletedCommand[]
  /** Of a run, which has no word of its own. */
  readonly ofRun: CompletedCommand
}

export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
  /** What may stand after it: `<a|b>` of its usage. Empty: a file. */
  readonly words: readonly string[]
}

export interface CompletedFlag {
  readonly name: string
  readonly short?: string
  readonly summary: string
  readonly takes: 'nothing' | 'file' | 'directory' | 'text'
  /** What its value can be, when that is known. */
  readonly words: readonly string[]
}

export function completionModel({ commands, defaultCommand }: CommandWords): CompletionModel {
  const visible = Object.entries(commands).filter(([, { hidden }]) => !hidden)
  const completed = visible.map(([name, row]) => completedCommand(name, row))
  const ofRun = completed.find(({ name }) => name === defaultCommand)
  return {
    commands: completed.filter(({ name }) => name !== defaultCommand),
    ofRun: ofRun ?? { name: defaultCommand, summary: '', flags: [], words: [] },
  }
}

function completedCommand(name: string, { summary, usage, flags: names }: CommandRow): CompletedCommand {
  const words = /<([\w-]+(?:\|[\w-]+)+)>/.exec(usage)?.[1]?.split('|') ?? []
  return { name, summary, words, flags: names.flatMap(completedFlag) }
}

function completedFlag(name: FlagName): readonly CompletedFlag[] {
  const flag: Flag = flags[name]
  if (flag.hidden) return []
  const { short, summary, value } = flag
  const words = value === 'level' ? ['debug', 'info', 'warn', 'error'] : []
  return [{ name, ...(short !== undefined && { short }), summary, takes: takenBy(flag), words }]
}

function takenBy({ kind, value }: Flag): CompletedFlag['takes'] {
  if (kind === 'switch') return 'nothing'
  if (value === 'file') return 'file'
  return value === 'dir' ? 'directory' : 'text'
}
