import type { ProblemCode } from '@weave/protocol'
import { collector, hasErrors, type Problem, problemOf, withFixes } from '../kit/index.ts'
import { type ModelResolution, type Registry, type ResolvedModel, resolveModel } from '../models/index.ts'
import { type Addresses, checkCredentials } from './credential-check.ts'
import { groupBy, isCodon, labelsOf, type ModelUse, type Resolved } from './model-use.ts'
import { anyModel, type SelfTestOptions, type SelfTestResult, type Servable, selfTest } from './self-test.ts'

export interface PreflightOptions extends Omit<SelfTestOptions, 'servable' | 'skipRequest'> {
  readonly registry: Registry
  /** Without it, all can be served. */
  readonly servable?: Servable
  /** Sends no request, and only warns of a missing key or harness: for machines that have none. All other checks stay. */
  readonly skipSelfTest?: boolean
  readonly addresses?: Addresses | undefined
}

export interface PreflightResult {
  /** In the order of the steps; `where` is that of the first use that is meant. */
  readonly problems: readonly Problem<ProblemCode>[]
  /** What the names mean, each identity once; complete when no model is unknown. */
  readonly models: readonly ResolvedModel[]
  /** The self-tests that were made, one for each identity of a codon; none when an earlier step found an error. */
  readonly results: readonly SelfTestResult[]
}

/**
 * What is left to check once a hank is read: models, then credentials, then self-tests with the catalogue. A step runs
 * only when those before it found no error, and tells all it finds. So no request is made, with a key or without, before
 * everything that can be known here is known to be good.
 *
 * Starts no process, writes nothing, spends no tokens. Rejects only with the reason of `signal`.
 */
export async function preflight(
  uses: readonly ModelUse[],
  options: PreflightOptions,
): Promise<PreflightResult> {
  const { registry, environments, servable = anyModel, skipSelfTest: skipRequest = false } = options
  const { addresses } = options
  const { resolved, problems: unknown } = await checkModels(uses, registry)
  const models = groupBy(resolved, one => one.model.identity).map(({ first }) => first.model)
  if (hasErrors(unknown)) return { problems: unknown, models, results: [] }

  const lacking = checkCredentials(resolved, environments, addresses)
  const keyless = [...unknown, ...(skipRequest ? lacking.map(asWarning) : lacking)]
  if (hasErrors(keyless)) return { problems: keyless, models, results: [] }

  const origins = addresses?.origins
  const tests = await selfTest(resolved.filter(isCodon), { ...options, servable, skipRequest, origins })
  return { problems: [...keyless, ...tests.problems], models, results: tests.results }
}

function asWarning(problem: Problem<ProblemCode>): Problem<ProblemCode> {
  return problem.code === 'key/missing' ? { ...problem, severity: 'warning' } : problem
}

/** With a fix for each name that may be meant, when the name is written where it is used. */
function unknownModel(
  { where, label, spot }: ModelUse,
  { message, suggestions }: Extract<ModelResolution, { ok: false }>,
): Problem<ProblemCode> {
  const said = { severity: 'error', code: 'model/unknown', message: `${label}: ${message}` } as const
  return withFixes(problemOf(said, spot?.() ?? where), suggestions, name => `Use ${name}`)
}

/** What the embedded SDK goes by then. */
const assumedWindow = '128,000'

/** First step: what each model name means; one problem for each use of a name that nobody knows. */
export async function checkModels(uses: readonly ModelUse[], registry: Registry) {
  const known = new Map<string, ModelResolution>()
  const resolved: Resolved[] = []
  const problems = collector<ProblemCode>()
  for (const use of uses) {
    const resolution = known.get(use.name) ?? (await resolveModel(use.name, registry))
    known.set(use.name, resolution)
    if (resolution.ok) resolved.push({ use, model: resolution.model })
    else problems.add([unknownModel(use, resolution)])
  }
  const windowless = resolved.filter(one => isCodon(one) && one.model.contextWindow === undefined)
  for (const { first, all } of groupBy(windowless, ({ model }) => model.identity)) {
    const { provider, id } = first.model
    const cure = 'Say contextWindow for it in a models file ("weave schema models").'
    const message = `The context window of ${provider}/${id} is not known; the agent takes it for ${assumedWindow} tokens. ${cure}`
    problems.warning('model/window', first.use.where, `${labelsOf(all)}: ${message}`)
  }
  return { resolved, problems: problems.all() }
}
