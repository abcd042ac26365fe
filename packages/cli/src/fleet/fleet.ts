import { type FlagName, wordOf } from '../flags.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { columns, type Terminal } from '../terminal.ts'
import type { Deed } from './deed.ts'
import { limitDeeds } from './limits.ts'
import { lookDeeds } from './look.ts'
import { orderDeeds } from './order.ts'
import { takeHomeDeeds } from './take-home.ts'
import { upkeepDeeds } from './upkeep.ts'
import { withFleet, withPackage } from './with-fleet.ts'

/** TABLE of the words after `weave fleet`. */
const deeds: Readonly<Record<string, Deed>> = {
  ...lookDeeds,
  ...orderDeeds,
  ...limitDeeds,
  ...takeHomeDeeds,
  ...upkeepDeeds,
}

/** What every word takes. */
const everywhere: readonly FlagName[] = [
  'env-file',
  'runtime-config',
  'fleet-url',
  'fleet-store',
  'insecure-engine',
  'no-color',
]

/** `weave fleet <word> [batch|execution|worker]`. */
export async function fleetCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [word = 'status', ...words] = args.positionals
  const deed = Object.hasOwn(deeds, word) ? deeds[word] : undefined
  const wrong = deed ? wrongUse(word, deed, { args, words }) : `There is no "weave fleet ${word}".`
  if (!deed || wrong !== undefined) {
    terminal.error(
      deed ? `${wrong} Say: weave fleet ${word} ${deed.usage}`.trimEnd() : `${wrong} Say one of:`,
    )
    const rows = Object.entries(deeds).map(([name, row]) => [`${name} ${row.usage}`.trimEnd(), row.summary])
    if (!deed) for (const line of columns(rows)) terminal.error(line)
    return exitCodes.usage
  }
  const [target = '', more] = words
  const asked = { target, more, args, terminal }
  const call = { args, terminal }
  const { alone } = deed
  return alone
    ? withPackage(call, loaded => alone(asked, loaded))
    : withFleet(call, opened => deed.run(asked, opened))
}

function wrongUse(
  word: string,
  { words: [least, most], flags }: Deed,
  { args, words }: { readonly args: Arguments; readonly words: readonly string[] },
): string | undefined {
  if (words.length < least) return 'Something is missing.'
  if (words.length > most) return `That is too much: ${words.slice(most).join(' ')}.`
  const given = [...args.switches, ...(Object.keys(args.texts) as FlagName[])]
  const odd = given.find(name => !flags.includes(name) && !everywhere.includes(name))
  return odd === undefined ? undefined : `--${wordOf(odd)} is not for "weave fleet ${word}".`
}
