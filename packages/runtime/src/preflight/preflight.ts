import { type Clock, hasErrors, type Problem } from '../kit/index.ts'
import type { HarnessName, Registry, ResolvedModel } from '../models/index.ts'
import { anyModel, type Servable } from './catalog.ts'
import { checkCredentials } from './credential-check.ts'
import { checkModels } from './model-check.ts'
import { type Environments, groupBy, isCodon, type ModelUse } from './model-use.ts'
import { type HarnessCheck, type SelfTestResult, selfTest } from './self-test.ts'

export interface PreflightOptions {
  readonly registry: Registry
  readonly environments: Environments
  readonly clock: Clock
  /** Whether the package of a harness can be loaded, and else what to type to install it. Starts no process. */
  readonly harnessAvailable: (harness: HarnessName) => Promise<HarnessCheck>
  /** Whether the embedded SDK can serve a model; without it, all can be served. */
  readonly servable?: Servable
  /** Sends no request, and only warns of a missing key: for machines that have none. All other checks stay. */
  readonly skipSelfTest?: boolean
  readonly signal?: AbortSignal
}

export interface PreflightResult {
  /** In the order of the steps; `where` is that of the first use that is meant. */
  readonly problems: readonly Problem[]
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
  const { resolved, problems: unknown } = await checkModels(uses, registry)
  const models = groupBy(resolved, one => one.model.identity).map(({ first }) => first.model)
  if (hasErrors(unknown)) return { problems: unknown, models, results: [] }

  const lacking = checkCredentials(resolved, environments)
  const keyless = skipRequest ? lacking.map(asWarning) : lacking
  if (hasErrors(keyless)) return { problems: keyless, models, results: [] }

  const tests = await selfTest(resolved.filter(isCodon), { ...options, servable, skipRequest })
  return { problems: [...keyless, ...tests.problems], models, results: tests.results }
}

function asWarning(problem: Problem): Problem {
  return { ...problem, severity: 'warning' }
}
