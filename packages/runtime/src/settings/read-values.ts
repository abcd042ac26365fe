import type { ProblemCode } from '@weave/protocol'
import {
  didYouMean,
  formatKey,
  type JsonPath,
  nearestNames,
  type Problem,
  parseJsonSource,
  problemOf,
  type Said,
  type Spot,
  shapeProblems,
} from '../kit/index.ts'
import { type OperatorAgents, operatorAgents } from './agent-rows.ts'
import {
  type Environment,
  type Layer,
  layerOf,
  type Origin,
  runtimePrefix,
  type SettingField,
  settingFields,
  settingKinds,
  variableOf,
} from './fields.ts'
import type { FleetSetting } from './fleet-schema.ts'
import type { GateSetting } from './gate-setting.ts'
import type { OperatorServers } from './mcp-servers.ts'
import type { RuleSetting } from './rule-setting.ts'
import { fields, runtimeFile } from './schema.ts'

/**
 * Reads the layers that people write, checked by the schema of `weave.json`. That schema takes long to set up: import this
 * module only with `import()`, where there is something to check.
 */
export interface LayerResult {
  /** Holds what was right, also when something else was wrong. */
  readonly layer: Layer
  readonly gates?: readonly GateSetting[]
  readonly rules?: readonly RuleSetting[]
  readonly fleet?: FleetSetting
  /** Where a value of the file stands; only with what needs to be held against the hank. */
  readonly spotOf?: (path: JsonPath) => Spot
  readonly problems: readonly Problem<ProblemCode>[]
  /** Of a runtime file that describes some. */
  readonly agents?: OperatorAgents
  readonly mcpServers?: OperatorServers
}

/** Checks the text of a runtime file. `file` is its name in messages. */
export function parseRuntimeFile(text: string | Uint8Array, file: string): LayerResult {
  const source = parseJsonSource(text, { file })
  if (!source.ok) return { layer: {}, problems: source.problems }
  const checked = runtimeFile.safeParse(source.value)
  if (checked.success) {
    const { gates, rules, fleet, mcpServers } = checked.data
    return {
      layer: layerOf(checked.data, 'weave.json'),
      ...(gates && { gates, spotOf: source.spotOf }),
      ...(rules && { rules, spotOf: source.spotOf }),
      ...(fleet && { fleet }),
      ...(mcpServers && { mcpServers, spotOf: source.spotOf }),
      problems: source.warnings,
      ...operatorAgents(checked.data),
    }
  }
  const options = { family: 'settings', schema: runtimeFile, unknownKey: unknownSetting } as const
  const problems = shapeProblems(checked.error, source, options)
  return { layer: {}, problems: [...source.warnings, ...problems] }
}

/** What people write who mean a setting with another name; the letters alone would not lead there. */
const othersCallIt: Readonly<Record<string, string>> = {
  proxy: 'withoutProxy',
  enableProxy: 'withoutProxy',
  baseUrl: 'vendorBaseUrl',
  output: 'outputDirectory',
  outputDir: 'outputDirectory',
  executionDir: 'executionBaseDir',
  costLimit: 'budget.maxDollars',
  maxBudget: 'budget.maxDollars',
  maxCost: 'budget.maxDollars',
  maxTime: 'budget.maxTimeSeconds',
  maxDuration: 'budget.maxTimeSeconds',
  maxDurationSeconds: 'budget.maxTimeSeconds',
  timeLimit: 'budget.maxTimeSeconds',
}

/** The message about a key that `weave.json` does not know at this place: what may have been meant, and what is valid. */
function unknownSetting(_path: JsonPath, key: string, validKeys: readonly string[]): Said {
  const known = Object.hasOwn(othersCallIt, key) ? othersCallIt[key] : undefined
  const here = nearestNames(key, validKeys)
  const meant = known !== undefined ? [known] : here.length > 0 ? here : elsewhere(key)
  const message = `Unknown field ${formatKey(key)}.${didYouMean(meant)} Valid fields here: ${validKeys.join(', ')}`
  return { message, meant }
}

/** Settings that are called so, or nearly, but live in another object: `maxDollars` is `budget.maxDollars`. */
function elsewhere(key: string): readonly string[] {
  const byName = new Map<string, string>(
    settingFields.map(field => [field.slice(field.lastIndexOf('.') + 1), field]),
  )
  const exact = byName.get(key)
  if (exact !== undefined) return [exact]
  return nearestNames(key, [...byName.keys()]).flatMap(name => byName.get(name) ?? [])
}

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

function unknownVariables(environment: Environment): readonly Problem<ProblemCode>[] {
  const known = [...names].map(withoutPrefix)
  return Object.keys(environment)
    .filter(name => name.startsWith(runtimePrefix) && environment[name] && !names.has(name))
    .sort()
    .map(name => {
      const meant = didYouMean(nearestNames(withoutPrefix(name), known, 1), rest => `${runtimePrefix}${rest}`)
      const message = `Unknown variable ${name}; it has no effect.${meant}`
      return problemOf({ severity: 'warning', code: 'settings/unknown-variable', message }, name)
    })
}

function withoutPrefix(name: string): string {
  return name.slice(runtimePrefix.length)
}

interface GivenValue {
  readonly field: SettingField
  /** The variable or flag that gave the value: how problems and origins name it. */
  readonly origin: Origin
  readonly value: string | number | boolean
}

/**
 * Checks values that came one by one, as text or ready, by the rules of `weave.json`. A number may be written as text;
 * a text for anything else stays one. Of two values for one setting the later one counts.
 */
function readValues(values: readonly GivenValue[]): LayerResult {
  const results = values.map(readValue)
  return {
    layer: Object.assign({}, ...results.map(result => result.layer)) as Layer,
    problems: results.flatMap(result => result.problems),
  }
}

function readValue({ field, origin, value: given }: GivenValue): LayerResult {
  const schema = fields[field]
  const value = typeof given === 'string' ? readText(given, settingKinds[field]) : given
  const checked = schema.safeParse(value)
  // The key is the setting whose schema has just accepted the value.
  if (checked.success) return { layer: { [field]: { value: checked.data, origin } }, problems: [] }
  const problems = shapeProblems(checked.error, { value }, { family: 'settings', schema })
  return { layer: {}, problems: problems.map(problem => ({ ...problem, where: origin })) }
}

function readText(text: string, kind: (typeof settingKinds)[SettingField]): unknown {
  if (kind === 'number') return numberFrom(text)
  return kind === 'list' ? text.split(',').map(name => name.trim()) : text
}

/** Only what everybody would read as a decimal number; anything else stays text, for the check to complain about. */
function numberFrom(text: string): number | string {
  return /^[+-]?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,4})?$/i.test(text.trim()) ? Number(text) : text
}
