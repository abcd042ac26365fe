import { type HarnessWord, installableHarnesses } from '@weave/runtime'
import { agree, canAsk } from '../confirm.ts'
import type { Terminal } from '../terminal.ts'
import { installAll, installLines } from './add.ts'

/**
 * For a run that lacks a harness: offers to install it to a person at a terminal. Whether it is there now. Without a
 * terminal nothing is installed, also with `-y`: hundreds of megabytes are asked for by their own command.
 */
export async function offerHarnesses(
  words: readonly HarnessWord[],
  { yes }: { readonly yes: boolean },
  terminal: Terminal,
): Promise<boolean> {
  const needs = words.map(word => {
    const { title, megabytes } = installableHarnesses[word]
    return `the ${title} (${megabytes} MB)`
  })
  const need = `This hank needs ${needs.join(' and ')}.`
  if (canAsk() && (yes || (await agree(`${need} Install ${words.length === 1 ? 'it' : 'them'} now?`))))
    return (await installAll(words, terminal)) === 0
  terminal.error(`${need} Not installed. To install:`)
  for (const line of installLines(words)) terminal.error(line)
  return false
}
