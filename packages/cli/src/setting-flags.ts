import type { FlagValue } from '@weave/runtime'
import { type Flag, flags, settingFlags } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'

/** The settings layer of the command line. */
export function settingValues({ switches, texts }: Arguments): readonly FlagValue[] {
  return settingFlags.flatMap((name): readonly FlagValue[] => {
    const { setting, sets = true }: Flag = flags[name]
    if (setting === undefined) return []
    const text = texts[name]
    if (text !== undefined) return [{ flag: `--${name}`, field: setting, value: text }]
    return switches.has(name) ? [{ flag: `--${name}`, field: setting, value: sets }] : []
  })
}
