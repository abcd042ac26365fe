import { didYouMean, nearestNames, type Problem } from '../kit/index.ts'
import { type SettingField, settingFields, settingKinds } from './fields.ts'
import { type GivenValue, type LayerResult, readValues } from './read-value.ts'
import { type Environment, runtimePrefix } from './variables.ts'

/** The variable of a setting: `sentinel.enablePersistence` is `WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE`. */
export function variableOf(field: SettingField): `WEAVE_RUNTIME_${string}` {
  const words = field.replaceAll('.', '_').replaceAll(/[A-Z]/g, capital => `_${capital}`)
  return `${runtimePrefix}${words.toUpperCase()}`
}

/** Every key of `weave.json` has its variable. */
const variables = settingFields.map(field => [variableOf(field), field] as const)
const names = new Set<string>(variables.map(([name]) => name))

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
  const known = [...names].map(withoutPrefix)
  return Object.keys(environment)
    .filter(name => name.startsWith(runtimePrefix) && environment[name] && !names.has(name))
    .sort()
    .map(name => {
      const meant = didYouMean(nearestNames(withoutPrefix(name), known, 1), rest => `${runtimePrefix}${rest}`)
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
