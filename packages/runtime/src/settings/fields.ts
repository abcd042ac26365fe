import { valueAt } from '../kit/index.ts'

/** Every setting there is, by its path in `weave.json`, with the kind of its value. The rules are in `schema.ts`. */
export const settingKinds = {
  port: 'number',
  autostart: 'boolean',
  withoutProxy: 'boolean',
  idleTimeout: 'number',
  model: 'text',
  vendorBaseUrl: 'text',
  outputDirectory: 'text',
  executionBaseDir: 'text',
  logParsingInterval: 'number',
  dataHashTimeLimit: 'number',
  showCosts: 'boolean',
  shimIdleTimeout: 'number',
  ignoreRigFailures: 'boolean',
  modelsFile: 'text',
  readonlyOnly: 'boolean',
  'budget.maxDollars': 'number',
  'budget.maxTimeSeconds': 'number',
  'sentinel.enablePersistence': 'boolean',
  'sentinel.healthCheckGracePeriodMs': 'number',
  'sentinel.waitForAllHealthChecks': 'boolean',
  'telemetry.enabled': 'boolean',
  'telemetry.debug': 'boolean',
  'telemetry.endpoint': 'text',
  'otel.enabled': 'boolean',
  'otel.content': 'content',
  'otel.names': 'names',
  'otel.metrics': 'boolean',
  'web.enabled': 'boolean',
  'web.port': 'number',
  'web.readonly': 'boolean',
  plainHttpHosts: 'list',
  'agents.claude.tools.allow': 'list',
  'agents.claude.tools.deny': 'list',
  'agents.claude.userSettings': 'boolean',
  'agents.pi.tools.allow': 'list',
  'agents.pi.tools.deny': 'list',
} as const satisfies Readonly<Record<string, keyof Kinds>>

interface Kinds {
  readonly number: number
  readonly boolean: boolean
  readonly text: string
  /** Names; in a variable with commas between them. */
  readonly list: readonly string[]
  readonly content: (typeof otelContents)[number]
  readonly names: (typeof otelNames)[number]
}

/** How much of what was said and done goes with spans, and in which vocabulary. */
export const otelContents = ['none', 'tools', 'all'] as const
export const otelNames = ['1.41', 'latest'] as const

export type SettingField = keyof typeof settingKinds
export type SettingValues = { readonly [F in SettingField]: Kinds[(typeof settingKinds)[F]] }

export const settingFields = Object.keys(settingKinds) as readonly SettingField[]

/** Layer 1. A setting that is not here has no value until another layer gives it one. */
export const defaults = {
  port: 0,
  autostart: true,
  withoutProxy: true,
  idleTimeout: 0,
  outputDirectory: 'weave-results',
  executionBaseDir: '~/.weave-executions',
  logParsingInterval: 1_000,
  dataHashTimeLimit: 5_000,
  showCosts: false,
  ignoreRigFailures: false,
  readonlyOnly: false,
  'sentinel.enablePersistence': true,
  'sentinel.healthCheckGracePeriodMs': 2_000,
  'sentinel.waitForAllHealthChecks': false,
  'telemetry.enabled': true,
  'telemetry.debug': false,
  'otel.enabled': false,
  'otel.content': 'none',
  'otel.names': '1.41',
  'otel.metrics': true,
  'web.enabled': false,
  'web.port': 7_788,
  'web.readonly': false,
  'agents.claude.userSettings': false,
} as const satisfies Partial<SettingValues>

/** Variables by name. An absent one is undefined or not there at all. */
export type Environment = Readonly<Record<string, string | undefined>>

/** How the variables begin that give settings. */
export const runtimePrefix = 'WEAVE_RUNTIME_'

/** The variable of a setting: `sentinel.enablePersistence` is `WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE`. */
export function variableOf(field: SettingField): `WEAVE_RUNTIME_${string}` {
  const words = field.replaceAll('.', '_').replaceAll(/[A-Z]/g, capital => `_${capital}`)
  return `${runtimePrefix}${words.toUpperCase()}`
}

/** Where a value came from, in words that a person can act on. */
export type Origin =
  | 'default'
  | 'weave.json'
  | 'hank overrides'
  | 'CI'
  | 'DO_NOT_TRACK'
  | 'WEAVE_TELEMETRY'
  | `OTEL_${string}`
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
