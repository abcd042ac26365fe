import type { SettingField } from './fields.ts'
import { type LayerResult, readValues } from './read-value.ts'

/** A flag that sets a setting: `{ flag: '--proxy', field: 'withoutProxy', value: false }`. */
export interface FlagValue {
  /** As it is written on the command line; problems and origins name it. */
  readonly flag: `--${string}`
  readonly field: SettingField
  /** Text for numbers is read as a number. */
  readonly value: string | number | boolean
}

/** Layer 5. The same checks as for `weave.json`; of two flags for one setting the later one counts. */
export function readFlags(flags: readonly FlagValue[]): LayerResult {
  return readValues(flags.map(({ flag, field, value }) => ({ field, origin: flag, value })))
}
