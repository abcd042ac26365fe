/**
 * Settings: what the program was told, by whom, and what that makes together. Owns the shape and defaults of
 * `weave.json`, the `WEAVE_RUNTIME_*` table, the order of the five layers, and what of the environment reaches an agent.
 *
 * It reads one file and otherwise only computes: environment, flags and the overrides of a hank come in as plain data.
 * It does not know what a hank is, does not change `process.env`, and prints nothing.
 */
export {
  type CodonEnvironmentOptions,
  codonEnvironment,
  missingVariables,
  reachingLoopback,
  serverEnvironment,
  throughProxy,
} from './codon-environment.ts'
export { readEnvironment, variableOf } from './environment.ts'
export type { SettingField } from './fields.ts'
export { type RuntimeFileResult, type RuntimeFileSearch, readRuntimeFile } from './file.ts'
export { type FlagValue, readFlags } from './flags.ts'
export { type Given, readGiven } from './given.ts'
export type { Layer, Origin, Sourced } from './layer.ts'
export { type ListedVariable, listEnvironment } from './mask.ts'
export { parseRuntimeFile } from './parse-file.ts'
export { type PathBases, type SettingPaths, settingPaths } from './paths.ts'
export type { LayerResult } from './read-value.ts'
export {
  type Ceilings,
  type Layers,
  type OverridesLayer,
  type ResolvedSettings,
  resolveSettings,
  type Settings,
} from './resolve.ts'
export { runtimeFile } from './schema.ts'
export { telemetrySwitch } from './telemetry-switch.ts'
export type { Environment } from './variables.ts'
