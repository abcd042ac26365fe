import { dirname, join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import {
  type Codon,
  codonsOf,
  effectiveModel,
  type LoadedHank,
  loadHank,
  type PlacedCodon,
  pathOf,
  withPlaces,
} from '../hank/index.ts'
import {
  type HarnessWord,
  harnessWordOf,
  ownPlaces,
  resolveAgent,
  resolveHarness,
  servable,
} from '../harness/index.ts'
import { hasErrors, type Problem, problemOf, systemClock } from '../kit/index.ts'
import {
  type AgentRows,
  additionsOf,
  createRegistry,
  findModel,
  type HarnessName,
  type LoginFiles,
  originsOf,
  piLogins,
  type Registry,
  reaching,
  resolveModel,
} from '../models/index.ts'
import { buildPlan, type Plan, type PlannedGate, plannedCodons, withServers } from '../plan/index.ts'
import { type ModelUse, type PreflightResult, preflight } from '../preflight/index.ts'
import {
  codonEnvironment,
  type FilledServer,
  type GateSetting,
  type ResolvedSettings,
  type RuleSetting,
  resolveSettings,
  type SettingPaths,
  type Settings,
  serverEnvironment,
} from '../settings/index.ts'
import { agentProblems, unreadSettings } from './agent-problems.ts'
import type { CheckedData, DataCheck } from './data-check.ts'
import type { AskedGates, CheckedGates } from './gate-check.ts'
import type { AskedServers, CheckedServers, ServerSurroundings } from './server-check.ts'
import { pathsOf, readLayers, type SettledOptions } from './settled.ts'

export interface PrepareOptions extends SettledOptions {
  readonly skipSelfTest: boolean
  /** The data of the run, to be hashed with the other checks of this machine; a run does that by itself. */
  readonly data?: string | undefined
  /** Gates that a flag asks for, besides those of `weave.json`. */
  readonly gates?: readonly GateSetting[] | undefined
  /** All checks on this machine passed, and these providers are asked now, which may take long. Not called when nobody is asked. */
  readonly onAsking?: ((found: Prepared, providers: readonly string[]) => Promise<void> | void) | undefined
  /** Has the last word on every environment in which a model is asked, given the providers of all known models. */
  readonly redirect?: Redirect | undefined
}

type Variables = Readonly<Record<string, string | undefined>>
type Redirect = (environment: Variables, providers: readonly string[]) => Readonly<Record<string, string>>

/** Everything that is known before the first token, and everything that is wrong. */
export interface Prepared {
  /** True when nothing stands in the way of a run. */
  readonly ok: boolean
  readonly problems: readonly Problem<ProblemCode>[]
  readonly loaded: LoadedHank
  readonly settings: ResolvedSettings
  readonly paths: SettingPaths
  /** The `weave.json` that was used. */
  readonly runtimeFile?: string
  /** What the operator lets follow from events. */
  readonly rules?: readonly RuleSetting[]
  /** MCP servers for agents; absent when there are none. */
  readonly servers?: readonly FilledServer[]
  readonly registry: Registry
  /**
   * What would run; absent when there is no hank. In a hank with mistakes a model may be unknown: it stands in the plan by
   * its name, without a price.
   */
  readonly plan?: Plan
  /** Absent when none was to be hashed, or an error was found up to there. */
  readonly data?: CheckedData
  /** Absent when an earlier step found an error. */
  readonly preflight?: PreflightResult
}

/**
 * From a command line to a plan and a verdict: settings, hank, data, models, credentials, self-tests. A later step runs only
 * when the earlier ones found no error, and every step reports all it finds. Writes nothing, starts no process, and makes no
 * connection before all checks on this machine have passed. Never rejects because of what a file says.
 */
export async function prepare(options: PrepareOptions): Promise<Prepared> {
  const { workingDirectory, home } = options
  const layers = await readLayers(options)
  const withoutHank = resolveSettings(layers)
  const paths = pathsOf(withoutHank, layers.path, options)
  const models = await registryFor({ home, modelsFile: paths.modelsFile }, layers.agents)
  const { registry } = models
  const redirected = (given: Variables) => options.redirect?.(given, registry.providers) ?? given
  const own = [...registry.custom.values()]
  const outside = redirected(reaching(options.environment, own))
  const environment = serverEnvironment(outside)

  const loaded = await loadHank(options.hank, {
    workingDirectory,
    overlay: options.overlay,
    environment,
    modelOverride: withoutHank.modelOverride?.value,
    ceilings: valuesAndOrigins(withoutHank.ceilings),
    outputDirectory: paths.outputDirectory,
    ...lookups(registry),
  })
  // The hank may add sentinel settings, idle timeout, ceilings and a fallback model; no path depends on it.
  const settings = resolveSettings({ ...layers, environment, overrides: loaded.hank?.overrides })
  const { plan, servers, ...planned } = await planWith(layers, { loaded, settings, registry }, options)
  const more = [
    planned.problems,
    await sendingProblems(settings, environment),
    unreadSettings(plan, { base: paths.executionBaseDir, home }),
  ]
  const hankProblems = [...[layers, models, loaded].map(({ problems }) => problems), ...more].flat()
  const base = {
    loaded,
    settings,
    paths,
    registry,
    ...(plan && { plan }),
    ...(layers.path !== undefined && { runtimeFile: layers.path }),
    rules: layers.rules,
    ...(servers.length > 0 && { servers }),
  }
  if (hasErrors(hankProblems) || !loaded.hank) return { ...base, ok: false, problems: hankProblems }

  const hashed = await hashNamedData(options.data, base)
  const problems = [...hankProblems, ...hashed.problems]
  const found = { ...base, ...(hashed.data && { data: hashed.data }) }
  if (hasErrors(problems)) return { ...found, ok: false, problems }

  const override = await unknownOverride(base)
  if (override) return { ...found, ok: false, problems: [...problems, override] }

  const environmentOf = (codon?: Variables) => redirected(codonEnvironment({ environment: outside, codon }))
  const uses = modelUses(base, environmentOf)
  const providers = new Set(uses.flatMap(({ name }) => findModel(name, registry)?.provider ?? []))
  if (!options.skipSelfTest) await options.onAsking?.({ ...found, ok: true, problems }, [...providers])
  const asked = await preflight(uses, {
    registry,
    environments: { codon: environmentOf(), sentinel: environment, logins: loginsOf(options, settings) },
    clock: systemClock,
    ...harnessChecks({ home, registry, environment: environmentOf() }),
    skipSelfTest: options.skipSelfTest,
    addresses: { plainHosts: settings.settings.plainHttpHosts, origins: originsOf(own, options.environment) },
  })
  const placed = loaded.source ? withPlaces(asked.problems, loaded.source) : asked.problems
  return judged({ ...found, problems: [...problems, ...placed], preflight: asked })
}

/** What the hank asks about the models that it names. */
function lookups(registry: Registry) {
  return {
    priceOf: (name: string) => findModel(name, registry)?.prices,
    identityOf: (name: string) => findModel(name, registry)?.identity,
  }
}

/** A rehearsal has no login but its own. */
function loginsOf({ redirect, home }: PrepareOptions, { settings }: ResolvedSettings) {
  return redirect ? {} : loginFiles(home, settings.agents)
}

function judged(found: Omit<Prepared, 'ok'>): Prepared {
  return { ...found, ok: !hasErrors(found.problems) }
}

/** The plan, with what the operator adds to the hank, and what is wrong between the two. */
async function planWith(
  layers: Awaited<ReturnType<typeof readLayers>>,
  found: Pick<Prepared, 'loaded' | 'settings' | 'registry'>,
  options: PrepareOptions,
) {
  const gates = await checkedGates({ ...layers.gates, added: options.gates ?? [] }, found.loaded)
  const hankPlan = planOf(found, gates.gates)
  const servers = await checkedServers(layers, { environment: options.environment, plan: hankPlan })
  const plan = hankPlan && withServers(hankPlan, servers.planned)
  const faults = [agentFaults(found, !!options.redirect), await ruleProblems(layers.rules, plan)]
  return { plan, servers: servers.servers, problems: [gates.problems, servers.problems, ...faults].flat() }
}

/** Mostly there are none, and then what checks them is not loaded. */
async function checkedGates(asked: AskedGates, { hank }: Pick<LoadedHank, 'hank'>): Promise<CheckedGates> {
  if (!hank || asked.inFile.length + asked.added.length === 0) return { gates: [], problems: [] }
  const { checkGates } = await import('./gate-check.ts')
  return checkGates(asked, hank)
}

/** Mostly there are none, and then what checks them is not loaded. */
async function checkedServers(
  { servers, path }: { readonly servers: AskedServers; readonly path?: string | undefined },
  at: Omit<ServerSurroundings, 'project'>,
): Promise<CheckedServers> {
  if (Object.keys(servers.rows).length === 0) return { servers: [], planned: [], problems: [] }
  const { checkServers } = await import('./server-check.ts')
  return checkServers(servers, { ...at, project: dirname(path ?? '') })
}

/** What of the operator's rules the hank does not have. */
async function ruleProblems(
  rules: readonly RuleSetting[],
  plan: Plan | undefined,
): Promise<readonly Problem<ProblemCode>[]> {
  if (rules.length === 0 || !plan) return []
  const { ruleFaults } = await import('../rules/index.ts')
  const codons = plannedCodons(plan).map(({ id }) => id)
  const faults = await ruleFaults(rules, { sentinels: plan.sentinels ?? [], codons })
  return faults.map(({ where, message }) =>
    problemOf({ severity: 'error', code: 'settings/value', message }, where),
  )
}

/** Where the person is signed in besides the environment. */
export function loginFiles(home: string, agents: Settings['agents']): LoginFiles {
  const own = join(home, '.claude')
  return { pi: piLogins(home), ...(agents.claude.userSettings && { claude: own }) }
}

function registryFor(where: Parameters<typeof additionsOf>[0], agents: AgentRows | undefined) {
  return createRegistry({ additions: additionsOf(where), agents })
}

/** What agents that speak ACP cannot do, at its place in the file. */
function agentFaults(
  found: Pick<Prepared, 'loaded' | 'settings' | 'registry'>,
  isRehearsal: boolean,
): readonly Problem<ProblemCode>[] {
  const { loaded, settings, registry } = found
  if (!loaded.hank || !loaded.source) return []
  const problems = agentProblems({
    hank: loaded.hank,
    registry,
    modelOf: ({ codon }) => findModel(modelNameOf(codon, found), registry),
    hasCeiling: settings.ceilings.maxDollars !== undefined,
    isRehearsal,
  })
  return withPlaces(problems, loaded.source)
}

/** What is wrong with where spans would go; nothing while none are sent. */
async function sendingProblems(
  { settings }: ResolvedSettings,
  environment: Variables,
): Promise<readonly Problem<ProblemCode>[]> {
  if (!settings.otel.enabled) return []
  const { collectorOf } = await import('../otel/index.ts')
  return collectorOf(environment).problems
}

interface HarnessSearch {
  readonly home: string
  readonly registry: Registry
  readonly environment: Variables
}

/** Whether a harness is installed, without loading it: checking a hank must not load what runs it. */
function harnessChecks({ home, registry, environment }: HarnessSearch) {
  const places = { ...ownPlaces(), home }
  return {
    harnessAvailable: async (harness: HarnessName, agent?: string) => {
      const row = harness === 'acp' ? registry.agents.get(agent ?? '') : undefined
      if (row) return resolveAgent({ name: agent ?? '', row }, { places, environment })
      return resolveHarness(harnessWordOf({ harness }) ?? 'claude', places)
    },
    servable: (provider: string) => servable(provider),
  }
}

/** What a hank needs and is not installed. With `--skip-self-test` that is no error of the hank; a run needs it all the same. */
export function missingHarnesses({ preflight }: Pick<Prepared, 'preflight'>): readonly HarnessWord[] {
  const missing = (preflight?.results ?? []).filter(({ outcome }) => outcome === 'missing-harness')
  const identities = new Set(missing.map(({ identity }) => identity))
  const models = (preflight?.models ?? []).filter(({ identity }) => identities.has(identity))
  return [...new Set(models.flatMap(model => harnessWordOf(model) ?? []))]
}

/** The code that hashes data is loaded only for a command that names some. */
async function hashNamedData(
  path: string | undefined,
  { settings, paths }: Pick<Prepared, 'settings' | 'paths'>,
): Promise<DataCheck> {
  if (path === undefined) return { problems: [] }
  const { checkData } = await import('./data-check.ts')
  return checkData({
    path,
    exclude: [paths.executionBaseDir, paths.outputDirectory],
    timeLimit: settings.settings.dataHashTimeLimit,
    clock: systemClock,
  })
}

function valuesAndOrigins({ maxDollars, maxTimeSeconds }: ResolvedSettings['ceilings']) {
  return {
    maxDollars: maxDollars?.value,
    maxTimeSeconds: maxTimeSeconds?.value,
    origins: { maxDollars: maxDollars?.origin, maxTimeSeconds: maxTimeSeconds?.origin },
  }
}

/** A model for every codon that nobody knows: said once, of the flag or variable that names it, for the hank is not to blame. */
async function unknownOverride({
  settings,
  registry,
}: Pick<Prepared, 'settings' | 'registry'>): Promise<Problem<ProblemCode> | undefined> {
  const { modelOverride } = settings
  const resolution = modelOverride && (await resolveModel(modelOverride.value, registry))
  if (!resolution || resolution.ok) return undefined
  return {
    severity: 'error',
    code: 'model/unknown',
    where: modelOverride.origin,
    message: resolution.message,
  }
}

/** The model that a codon will use, as it is written; empty when nothing names one. */
function modelNameOf(codon: Codon, { loaded, settings }: Pick<Prepared, 'loaded' | 'settings'>): string {
  const modelOverride = settings.modelOverride?.value
  return (loaded.hank && effectiveModel(codon, loaded.hank, modelOverride)) ?? ''
}

function planOf(
  { loaded, settings, registry }: Pick<Prepared, 'loaded' | 'settings' | 'registry'>,
  gates: readonly PlannedGate[] = [],
): Plan | undefined {
  const { hank, source, sentinels } = loaded
  if (!hank || !source) return undefined
  return buildPlan(
    { hank, path: source.path, directory: source.directory },
    {
      modelOf: name => findModel(name, registry),
      modelOverride: settings.modelOverride?.value,
      shimIdleTimeout: settings.settings.shimIdleTimeout,
      ceilings: settings.ceilings,
      sentinels,
      gates,
    },
  )
}

function modelUses(
  { loaded, settings }: Pick<Prepared, 'loaded' | 'settings'>,
  environmentOf: (codon: Variables) => Variables,
): readonly ModelUse[] {
  const { hank, source, sentinels } = loaded
  if (!hank) return []
  const placed = codonsOf(hank)
  const codons = placed.map((each): ModelUse => {
    const { env } = each.codon
    const where = `${each.where}.model`
    const isWrittenHere = each.codon.model !== undefined && settings.modelOverride === undefined
    return {
      where,
      label: each.label,
      name: modelNameOf(each.codon, { loaded, settings }),
      use: 'codon',
      ...(source && isWrittenHere && { spot: () => source.spotOf(pathOf(where)) }),
      ...(env && { environment: environmentOf(env) }),
    }
  })
  const owners = new Map(placed.map(each => [each.codon.id, each]))
  const observers = sentinels.map(
    ({ codonId, config, settings: own }): ModelUse => ({
      where: `${owners.get(codonId)?.where ?? ''}.sentinels`,
      label: `${labelOf(owners.get(codonId))}: sentinel ${config.id}`,
      name: config.model,
      use: 'sentinel',
      failCodonIfNotLoaded: own.failCodonIfNotLoaded,
    }),
  )
  return [...codons, ...observers]
}

function labelOf(placed: PlacedCodon | undefined): string {
  return placed?.label ?? 'A codon'
}
