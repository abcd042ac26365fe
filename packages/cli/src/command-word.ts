import { existsSync } from 'node:fs'
import { closestMatch } from 'leven'

export interface CommandWord {
  /** The command that is meant, and what is left for it. */
  readonly name: string
  readonly words: readonly string[]
}

export interface KnownCommands {
  readonly names: readonly string[]
  /** Those that people may know of. */
  readonly shown: readonly string[]
  readonly defaultCommand: string
}

/**
 * The command that the first word names; otherwise it is the default one, whose word may be left out, and `help`, which
 * stands before the word of another.
 */
export function commandWord(words: readonly string[], { names, defaultCommand }: KnownCommands): CommandWord {
  const [first = '', second = '', ...rest] = words
  if (first === 'help') {
    const isKnown = names.includes(second)
    return { name: isKnown ? second : defaultCommand, words: isKnown ? ['--help', ...rest] : ['--help'] }
  }
  if (names.includes(first)) return { name: first, words: words.slice(1) }
  return { name: defaultCommand, words }
}

const farthest = 2

/** For a word that is neither a command nor anything on the disk: the command that it may have been meant to be. */
export function mistakenCommand(
  words: readonly string[],
  { names, shown }: KnownCommands,
): string | undefined {
  const [first = ''] = words
  const isWord = /^[a-z][a-z-]+$/.test(first)
  if (!isWord || names.includes(first) || existsSync(first)) return undefined
  const near = closestMatch(first, shown, { maxDistance: farthest })
  return near === undefined
    ? undefined
    : `There is no command ${first}, and no such file. Did you mean weave ${near}?`
}
