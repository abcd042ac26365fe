import { didYouMean, nearestNames, type Problem } from '../kit/index.ts'
import { type SettingField, settingKinds } from './fields.ts'
import { type GivenValue, type LayerResult, readValues } from './read-value.ts'
import { type Environment, runtimePrefix } from './variables.ts'

type Variable = `WEAVE_RUNTIME_${string}`

/** The whole table: these variables exist and no others. */
export const runtimeVariables = {
  WEAVE_RUNTIME_PORT: 'port',
  WEAVE_RUNTIME_MODEL: 'model',
  WEAVE_RUNTIME_AUTOSTART: 'autostart',
  WEAVE_RUNTIME_WITHOUT_PROXY: 'withoutProxy',
  WEAVE_RUNTIME_VENDOR_BASE_URL: 'vendorBaseUrl',
  WEAVE_RUNTIME_OUTPUT_DIRECTORY: 'outputDirectory',
  WEAVE_RUNTIME_EXECUTION_BASE_DIR: 'executionBaseDir',
  WEAVE_RUNTIME_LOG_PARSING_INTERVAL: 'logParsingInterval',
  WEAVE_RUNTIME_DATA_HASH_TIME_LIMIT: 'dataHashTimeLimit',
  WEAVE_RUNTIME_IDLE_TIMEOUT: 'idleTimeout',
  WEAVE_RUNTIME_SHOW_COSTS: 'showCosts',
  WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE: 'sentinel.enablePersistence',
  WEAVE_RUNTIME_SENTINEL_HEALTH_CHECK_GRACE_PERIOD_MS: 'sentinel.healthCheckGracePeriodMs',
  WEAVE_RUNTIME_SENTINEL_WAIT_FOR_ALL_HEALTH_CHECKS: 'sentinel.waitForAllHealthChecks',
} as const satisfies Readonly<Record<Variable, SettingField>>

const variables = Object.entries(runtimeVariables) as readonly (readonly [Variable, SettingField])[]

/**
 * Layer 4. An empty variable counts as not set. A boolean is true for exactly `true` and `1` and false for everything
 * else, so `WEAVE_RUNTIME_WITHOUT_PROXY=false` turns the proxy on; numbers have the ranges of `weave.json`.
 */
export function readEnvironment(environment: Environment): LayerResult {
  const values = variables.flatMap(([variable, field]): readonly GivenValue[] => {
    const text = environment[variable]
    if (text === undefined || text === '') return []
    const value = settingKinds[field] === 'boolean' ? text === 'true' || text === '1' : text
    return [{ field, origin: variable, value }]
  })
  const { layer, problems } = readValues(values)
  return { layer, problems: [...problems, ...unknownVariables(environment)] }
}

function unknownVariables(environment: Environment): readonly Problem[] {
  const names = Object.keys(runtimeVariables).map(withoutPrefix)
  return Object.keys(environment)
    .filter(
      name => name.startsWith(runtimePrefix) && environment[name] && !Object.hasOwn(runtimeVariables, name),
    )
    .sort()
    .map(name => {
      const meant = didYouMean(nearestNames(withoutPrefix(name), names, 1), rest => `${runtimePrefix}${rest}`)
      return {
        severity: 'warning',
        where: name,
        message: `Unknown variable ${name}; it has no effect.${meant}`,
      }
    })
}

function withoutPrefix(name: string): string {
  return name.slice(runtimePrefix.length)
}
