import { type Flag, type FlagName, flags } from './flags.ts'
import { type Arguments, settingValues } from './parse-arguments.ts'

/** What is wrong with the values of flags, in lines: the flag, what is allowed, what was found. Empty when all are good. */
export async function wrongFlagValues(args: Arguments): Promise<readonly string[]> {
  return [...wrongChoices(args), ...(await wrongSettings(args))]
}

function wrongChoices({ texts }: Arguments): readonly string[] {
  return Object.entries(texts).flatMap(([name, value]) => {
    const { choices }: Flag = flags[name as FlagName]
    if (choices === undefined || choices.includes(value)) return []
    return [`--${name}: expected ${choices.join(', ')}; found ${JSON.stringify(value)}`]
  })
}

/** By the rules of `weave.json`; what checks them takes long to set up and is not loaded for nothing. */
async function wrongSettings(args: Arguments): Promise<readonly string[]> {
  const values = settingValues(args).filter(({ value }) => typeof value === 'string')
  if (values.length === 0) return []
  const { readGiven } = await import('@weave/runtime')
  const read = await readGiven(values, {})
  return read.flags.problems.map(({ where, message }) => {
    const value = values.findLast(({ flag }) => flag === where)?.value
    return `${where}: ${message}${message.includes('found') ? '' : `, found ${JSON.stringify(value)}`}`
  })
}
