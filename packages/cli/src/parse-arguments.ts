import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { FlagValue } from '@weave/runtime'
import { closestMatch } from 'leven'
import { type Flag, type FlagName, flags, settingFlags, wordOf } from './flags.ts'

/** A command's words, sorted out. */
export interface Arguments {
  readonly positionals: readonly string[]
  readonly switches: ReadonlySet<FlagName>
  readonly texts: Readonly<Partial<Record<FlagName, string>>>
  /** Of flags that may be given several times. */
  readonly lists?: Readonly<Partial<Record<FlagName, readonly string[]>>>
  /** The words after `--`, which are among the positionals, too. */
  readonly rest?: readonly string[]
}

export type ParsedArguments =
  | { readonly ok: true; readonly arguments: Arguments }
  | { readonly ok: false; readonly message: string }

/** Takes `--flag value` and `--flag=value`. An unknown flag is an error with the nearest one that exists. */
export function parseArguments(words: readonly string[], allowed: readonly FlagName[]): ParsedArguments {
  const options = Object.fromEntries(allowed.map(name => [wordOf(name), optionOf(flags[name])]))
  const names = new Map(allowed.map(name => [wordOf(name), name]))
  try {
    const args = [...withNegativeNumbers(words, names)]
    const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals: true, tokens: true })
    const entries = Object.entries(values).flatMap(([word, value]) => {
      const name = names.get(word)
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    })
    const dashes = tokens.find(({ kind }) => kind === 'option-terminator')
    return {
      ok: true,
      arguments: {
        positionals,
        switches: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
        texts: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')),
        lists: Object.fromEntries(entries.filter(([, value]) => Array.isArray(value))),
        rest: dashes ? args.slice(dashes.index + 1) : [],
      },
    }
  } catch (error) {
    return { ok: false, message: explain(error, allowed) }
  }
}

/** A number below zero after a flag is the value of the flag, which then says what it takes, and not another flag. */
function withNegativeNumbers(
  words: readonly string[],
  names: ReadonlyMap<string, FlagName>,
): readonly string[] {
  const takesNumber = (word = ''): boolean => {
    const name = word.startsWith('--') ? names.get(word.slice(2)) : undefined
    return name !== undefined && flags[name].kind === 'text'
  }
  const isValue = (at: number): boolean => /^-\d/.test(words[at] ?? '') && takesNumber(words[at - 1])
  return words.flatMap((word, at) => {
    if (isValue(at)) return []
    return [isValue(at + 1) ? `${word}=${words[at + 1]}` : word]
  })
}

function optionOf(flag: Flag): NonNullable<ParseArgsConfig['options']>[string] {
  const short = flag.short === undefined ? {} : { short: flag.short }
  const many = flag.many ? { multiple: true } : {}
  return { type: flag.kind === 'switch' ? 'boolean' : 'string', ...short, ...many }
}

function explain(error: unknown, allowed: readonly FlagName[]): string {
  const message = error instanceof Error ? error.message : String(error)
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1]
  if (unknown === undefined) return message
  const word = unknown.replace(/^-+/, '')
  // One letter is near to everything, and nobody should say yes by a slip.
  const offered = word.length < 2 ? [] : allowed.filter(name => name !== 'yes')
  const near = closestMatch(word, offered.map(wordOf), { maxDistance: 3 })
  return `Unknown option ${unknown}.${near === undefined ? '' : ` Did you mean --${near}?`}`
}

/** The settings layer of the command line. */
export function settingValues({ switches, texts }: Arguments): readonly FlagValue[] {
  return settingFlags.flatMap((name): readonly FlagValue[] => {
    const { setting, sets = true }: Flag = flags[name]
    if (setting === undefined) return []
    const text = texts[name]
    if (text !== undefined) return [{ flag: `--${wordOf(name)}`, field: setting, value: text }]
    return switches.has(name) ? [{ flag: `--${wordOf(name)}`, field: setting, value: sets }] : []
  })
}
