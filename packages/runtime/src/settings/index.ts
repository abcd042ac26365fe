/**
 * Settings: what the program was told, by whom, and what that makes together. Owns the shape and defaults of
 * `weave.json`, the `WEAVE_RUNTIME_*` table, the order of the five layers, and what of the environment reaches an agent.
 *
 * It reads `weave.json` and a file of variables that was asked for, and otherwise only computes: environment, flags and the overrides of a hank come in as plain data.
 * It does not know what a hank is, does not change `process.env`, and prints nothing.
 */
export { readEnvFile } from './env-file.ts'
export {
  codonEnvironment,
  listEnvironment,
  reachingLoopback,
  serverEnvironment,
  throughProxy,
} from './environment.ts'
export type { SettingField } from './fields.ts'
export type { FleetSetting } from './fleet-schema.ts'
export { type GateSetting, gateIdOf } from './gate-setting.ts'
export { type FilledServer, fillServers, type OperatorServers, serverSecrets } from './mcp-servers.ts'
export { readGiven, readRuntimeFile } from './read-layers.ts'
export type { FlagValue } from './read-values.ts'
export {
  type Ceilings,
  type ResolvedSettings,
  resolveSettings,
  type SettingPaths,
  type Settings,
  settingPaths,
} from './resolve.ts'
export type { RuleSetting } from './rule-setting.ts'
export { runtimeFile } from './schema.ts'
