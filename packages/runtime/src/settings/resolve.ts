import { dirname, join, resolve } from 'node:path'
import type { Immutable } from '@weave/protocol'
import {
  defaults,
  type Environment,
  type Layer,
  layerOf,
  merged,
  type SettingField,
  type Sourced,
} from './fields.ts'
import { otelSwitches, otelVariables } from './otel-variables.ts'

/**
 * What the program works with: every setting with its final value. Model and budget have rules of their own, below.
 * `logParsingInterval` is accepted and not here: nothing may read it.
 */
export type Settings = Immutable<ReturnType<typeof settingsOf>>

export interface Ceilings {
  readonly maxDollars?: Sourced<number>
  readonly maxTimeSeconds?: Sourced<number>
}

export interface ResolvedSettings {
  readonly settings: Settings
  /** Each setting that has a value, with the layer it came from; also `model` and `budget.*`. */
  readonly sources: Layer
  /** The ceilings of the whole run: the tightest of flag, variable, runtime file and hank. */
  readonly ceilings: Ceilings
  /** Replaces the model of every codon. */
  readonly modelOverride?: Sourced<string>
  /** For codons that name no model. */
  readonly modelFallback?: Sourced<string>
}

/** The part of a hank's `overrides` that has to do with settings; it was checked when the hank was loaded. */
export interface OverridesLayer {
  readonly model?: string | undefined
  readonly sentinel?: Given<Settings['sentinel']> | undefined
  readonly shimIdleTimeout?: number | undefined
  readonly budget?: Given<Record<'maxDollars' | 'maxTimeSeconds', number>> | undefined
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

export interface Layers {
  /** Layer 5. */
  readonly flags?: Layer
  /** Layer 4. */
  readonly variables?: Layer
  /** Layer 3. */
  readonly overrides?: OverridesLayer | undefined
  /** Layer 2. */
  readonly file?: Layer
  /** For the switches that turn telemetry off, and the standard variables of OpenTelemetry. */
  readonly environment?: Environment
}

/**
 * The five layers as one: a higher layer wins, setting by setting, so nested objects are merged key by key.
 *
 * - Of the hank's overrides only `sentinel` and `shimIdleTimeout` take part. `dataHashTimeLimit` does not: the format
 *   accepts it there and then does not use it. `model` is only a fallback.
 * - Of several ceilings the tightest wins, whichever layer it is in: a limit that someone set is never lifted by another.
 */
export function resolveSettings(layers: Layers): ResolvedSettings {
  const { flags = {}, variables = {}, overrides = {}, file = {}, environment = {} } = layers
  const off = telemetrySwitch(environment)
  const standard = otelVariables(environment)
  const base = merged([defaultLayer, standard, file, overridesLayer(overrides), variables, flags])
  const ceilings: Ceilings = {
    ...tightest('maxDollars', layers),
    ...tightest('maxTimeSeconds', layers),
  }
  const sources: Layer = {
    ...base,
    ...(off && { 'telemetry.enabled': off }),
    ...otelSwitches(environment),
    ...(ceilings.maxDollars && { 'budget.maxDollars': ceilings.maxDollars }),
    ...(ceilings.maxTimeSeconds && { 'budget.maxTimeSeconds': ceilings.maxTimeSeconds }),
  }
  return {
    settings: settingsOf(sources),
    sources,
    ceilings,
    ...(base.model && { modelOverride: base.model }),
    ...(overrides.model !== undefined && {
      modelFallback: { value: overrides.model, origin: 'hank overrides' },
    }),
  }
}

const defaultLayer = Object.fromEntries(
  Object.entries(defaults).map(([field, value]) => [field, { value, origin: 'default' }] as const),
) as Layer

function overridesLayer({ sentinel, shimIdleTimeout }: OverridesLayer): Layer {
  return layerOf({ sentinel, shimIdleTimeout }, 'hank overrides')
}

function tightest(
  limit: 'maxDollars' | 'maxTimeSeconds',
  { flags, variables, file, overrides }: Layers,
): Ceilings {
  const field = `budget.${limit}` as const
  const hank = overrides?.budget?.[limit]
  const all: readonly (Sourced<number> | undefined)[] = [
    flags?.[field],
    variables?.[field],
    hank === undefined ? undefined : { value: hank, origin: 'hank overrides' },
    file?.[field],
  ]
  const [first] = all.filter(ceiling => ceiling !== undefined).sort((left, right) => left.value - right.value)
  return first ? { [limit]: first } : {}
}

function settingsOf(layer: Layer) {
  const value = <F extends SettingField & keyof typeof defaults>(field: F) =>
    layer[field]?.value ?? defaults[field]
  return {
    port: value('port'),
    autostart: value('autostart'),
    withoutProxy: value('withoutProxy'),
    idleTimeout: value('idleTimeout'),
    vendorBaseUrl: layer.vendorBaseUrl?.value,
    outputDirectory: value('outputDirectory'),
    executionBaseDir: value('executionBaseDir'),
    dataHashTimeLimit: value('dataHashTimeLimit'),
    showCosts: value('showCosts'),
    shimIdleTimeout: layer.shimIdleTimeout?.value,
    ignoreRigFailures: value('ignoreRigFailures'),
    modelsFile: layer.modelsFile?.value,
    readonlyOnly: value('readonlyOnly'),
    sentinel: {
      enablePersistence: value('sentinel.enablePersistence'),
      healthCheckGracePeriodMs: value('sentinel.healthCheckGracePeriodMs'),
      waitForAllHealthChecks: value('sentinel.waitForAllHealthChecks'),
    },
    telemetry: {
      enabled: value('telemetry.enabled'),
      debug: value('telemetry.debug'),
      endpoint: layer['telemetry.endpoint']?.value,
    },
    otel: {
      enabled: value('otel.enabled'),
      content: value('otel.content'),
      names: value('otel.names'),
      metrics: value('otel.metrics'),
    },
    web: {
      enabled: value('web.enabled'),
      port: value('web.port'),
      readonly: value('web.readonly'),
    },
    plainHttpHosts: layer.plainHttpHosts?.value ?? [],
    agents: {
      claude: {
        tools: toolsOf(layer['agents.claude.tools.allow'], layer['agents.claude.tools.deny']),
        userSettings: value('agents.claude.userSettings'),
      },
      pi: { tools: toolsOf(layer['agents.pi.tools.allow'], layer['agents.pi.tools.deny']) },
    },
  }
}

type Names = Sourced<readonly string[]> | undefined

/** `allow` undefined: all that there are. */
function toolsOf(allow: Names, deny: Names) {
  return { allow: allow?.value, deny: deny?.value ?? [] }
}

/** Set by build machines; most of them set `CI` as well, these do not. */
const buildVariables = ['TF_BUILD', 'TEAMCITY_VERSION', 'JENKINS_URL', 'CODEBUILD_BUILD_ID', 'BUILD_NUMBER']

/**
 * Whether the surroundings forbid telemetry, and why. Stronger than every layer: a file that says `enabled: true` cannot
 * undo a person's `DO_NOT_TRACK`. In doubt (`DO_NOT_TRACK=yes`) telemetry is off.
 */
export function telemetrySwitch(environment: Environment): Sourced<false> | undefined {
  if (isOn(environment['DO_NOT_TRACK'])) return { value: false, origin: 'DO_NOT_TRACK' }
  if (isOff(environment['WEAVE_TELEMETRY'])) return { value: false, origin: 'WEAVE_TELEMETRY' }
  if (isOn(environment['CI']) || buildVariables.some(name => isOn(environment[name])))
    return { value: false, origin: 'CI' }
  return undefined
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !isOff(value)
}

function isOff(value: string | undefined): boolean {
  return value !== undefined && ['0', 'false', 'no', 'off'].includes(value.toLowerCase())
}

export interface SettingPaths {
  readonly outputDirectory: string
  readonly executionBaseDir: string
  readonly modelsFile?: string
}

export interface PathBases {
  readonly workingDirectory: string
  readonly home: string
  /** The runtime file that was read, if any: what it names as `modelsFile` is meant from there. */
  readonly runtimeFile?: string | undefined
}

/** The settings that are paths, made absolute. `~` at the start is the home directory. Looks at no disk. */
export function settingPaths(settings: Settings, bases: PathBases): SettingPaths {
  const { workingDirectory, home, runtimeFile } = bases
  const absolute = (path: string, base: string): string => resolve(base, withHome(path, home))
  const { outputDirectory, executionBaseDir, modelsFile } = settings
  const fileBase =
    runtimeFile === undefined ? workingDirectory : dirname(resolve(workingDirectory, runtimeFile))
  return {
    outputDirectory: absolute(outputDirectory, workingDirectory),
    executionBaseDir: absolute(executionBaseDir, workingDirectory),
    ...(modelsFile !== undefined && { modelsFile: absolute(modelsFile, fileBase) }),
  }
}

function withHome(path: string, home: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path
}
