import { valueAt } from '../kit/index.ts'
import { type SettingField, type SettingValues, settingFields } from './fields.ts'

/** Where a value came from, in words that a person can act on. */
export type Origin =
  | 'default'
  | 'weave.json'
  | 'hank overrides'
  | 'CI'
  | 'DO_NOT_TRACK'
  | 'WEAVE_TELEMETRY'
  | `WEAVE_RUNTIME_${string}`
  | `--${string}`

export interface Sourced<T> {
  readonly value: T
  readonly origin: Origin
}

/** What one layer has to say, by the path of the setting. Holds known settings only, and only valid values. */
export type Layer = { readonly [F in SettingField]?: Sourced<SettingValues[F]> }

/** Takes the known settings out of a nested object that was checked before; whatever else it holds is not looked at. */
export function layerOf(checked: object, origin: Origin): Layer {
  const entries = settingFields.flatMap(field => {
    const value = valueAt(checked, field.split('.'))
    return value === undefined ? [] : [[field, { value, origin }] as const]
  })
  // The keys are all settings, and the check of the caller vouches for the types of the values.
  return Object.fromEntries(entries)
}

/** The layers as one, a later one above an earlier one, setting by setting. */
export function merged(layers: readonly Layer[]): Layer {
  return Object.assign({}, ...layers) as Layer
}
