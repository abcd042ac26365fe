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
} as const satisfies Readonly<Record<string, keyof Kinds>>

interface Kinds {
  readonly number: number
  readonly boolean: boolean
  readonly text: string
}

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
} as const satisfies Partial<SettingValues>
