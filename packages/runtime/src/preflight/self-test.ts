import type { ProblemCode } from '@weave/protocol'
import {
  type Clock,
  collector,
  createRedactor,
  createSemaphore,
  type Problem,
  type Result,
  secretsOf,
  within,
} from '../kit/index.ts'
import { credentialVariables, type HarnessName, type ResolvedModel } from '../models/index.ts'
import { type Answer, askPatiently } from './ask.ts'
import { type Access, accessOf, hostOf } from './credential-check.ts'
import { type CodonUse, type Environments, groupBy, labelsOf, type Resolved } from './model-use.ts'
import { probeFor } from './probe.ts'
import { type Asked, type Failure, type FailureCategory, failure, tooLate, verdictOn } from './verdict.ts'

/** `cure`: what to type. */
export type HarnessCheck = Result<object, { readonly message: string; readonly cure: string }>

export interface SelfTestOptions {
  readonly environments: Environments
  readonly clock: Clock
  /** Whether the packages of a harness are there, and else what to type. Starts no process; asked once for each. */
  readonly harnessAvailable: (harness: HarnessName, agent?: string) => Promise<HarnessCheck>
  readonly servable: Servable
  /** Leaves out the request; all that can be told without it is still told. */
  readonly skipRequest: boolean
  readonly signal?: AbortSignal | undefined
  /** The file that gave the address in a variable that the person did not set. */
  readonly origins?: ReadonlyMap<string, string> | undefined
}

export interface SelfTestResult {
  /** `harness:provider/id`. */
  readonly identity: string
  readonly outcome: 'ok' | FailureCategory
  /** Whether the provider was asked. If not, `ok` means that nothing is known to be wrong. */
  readonly asked: boolean
  readonly durationMs: number
}

export interface SelfTests {
  readonly problems: readonly Problem<ProblemCode>[]
  /** One for each identity, in the order in which they first come. */
  readonly results: readonly SelfTestResult[]
}

const limitMs = 10_000
const width = 8

/**
 * Third step: whether the model of each codon would answer. One test for each identity, at most 8 at a time, each given
 * up after 10 s: the harness is there, the catalogue serves the model, a key is there, and one request that
 * costs no tokens is answered, if need be at its third repetition.
 *
 * Goes to the addresses of the environment, so never through our own proxy. No key is in any message or address. Rejects
 * only with the reason of `signal`.
 */
export async function selfTest(
  codons: readonly Resolved<CodonUse>[],
  options: SelfTestOptions,
): Promise<SelfTests> {
  const harnesses = new Map<string, Promise<HarnessCheck>>()
  const harnessAvailable = (name: HarnessName, agent = '') => {
    const key = `${name} ${agent}`
    const check = harnesses.get(key) ?? options.harnessAvailable(name, agent)
    harnesses.set(key, check)
    return check
  }
  const problems = collector<ProblemCode>()
  const groups = groupBy(codons, ({ model }) => model.identity)
  const requests = createSemaphore({ permits: width })
  const tested = await Promise.all(
    groups.map(async ({ first, all }) => {
      const release = await requests.acquire()
      const subject = { model: first.model, access: accessFor(all, options.environments) }
      const outcome = await test(subject, { ...options, harnessAvailable }).finally(release)
      return { first, all, ...outcome }
    }),
  )
  for (const { first, all, failed, asked } of tested) {
    if (!failed) continue
    const { category, what, cure } = failed
    const message = `Self-test of ${first.model.identity} failed (${category}): ${what} ${cure}`
    // What nobody was asked, the harness says: the catalogue has the model, and it cannot serve it.
    const code = category === 'model' && !asked ? 'model/unservable' : codes[category]
    // Where nobody is asked, as in CI, nothing needs to run: a hank can be good on a machine without agents.
    const tell = options.skipRequest && category === 'missing-harness' ? problems.warning : problems.error
    tell(code, first.use.where, `${labelsOf(all)}: ${message}`)
  }
  const results = tested.map(
    ({ first, failed, asked, durationMs }): SelfTestResult => ({
      identity: first.model.identity,
      outcome: failed?.category ?? 'ok',
      asked,
      durationMs,
    }),
  )
  return { problems: problems.all(), results }
}

/** The rule behind each category. */
const codes: Readonly<Record<FailureCategory, ProblemCode>> = {
  'missing-harness': 'harness/missing',
  auth: 'selftest/auth',
  model: 'selftest/model',
  network: 'selftest/network',
  unknown: 'selftest/unknown',
}

/** Codons that share an identity may be set up differently; the first that may be asked speaks for all. */
function accessFor(codons: readonly Resolved<CodonUse>[], environments: Environments): Access | undefined {
  const all = codons.map(one => accessOf(one, environments))
  return all.find(({ isLent }) => !isLent) ?? all[0]
}

interface Subject {
  readonly model: ResolvedModel
  readonly access: Access | undefined
}

async function test(subject: Subject, options: SelfTestOptions) {
  const { clock, signal, environments } = options
  const start = clock.monotonic()
  let asked: Asked | undefined
  let answered: Answer | undefined
  const onAnswer = (answer: Answer): void => {
    answered = answer
  }
  const work = async (limit: AbortSignal) => {
    try {
      const ready = await prepare(subject, options)
      asked = ready.asked
      if (!asked) return ready.failed
      return verdictOn(await askPatiently(asked.probe, { clock, signal: limit, onAnswer }), asked)
    } catch (error) {
      const text = createRedactor(secretsOf(environments.codon)).text(String(error))
      return failure('unknown', `The test itself failed (${text}).`)
    }
  }
  const late = () => {
    if (!asked) return failure('unknown', slow)
    return answered ? verdictOn(answered, asked) : tooLate(asked, limitMs)
  }
  signal?.throwIfAborted()
  const failed = await within({ clock, ms: limitMs, signal }, work, late)
  signal?.throwIfAborted()
  return { failed, asked: asked !== undefined, durationMs: Math.round(clock.monotonic() - start) }
}

const slow = `The harness was not ready within ${limitMs / 1000} s.`

interface Ready {
  readonly failed?: Failure
  /** Absent without a failure: there is nothing to ask. */
  readonly asked?: Asked
}

/** Everything that can be told without a request, and the request. */
async function prepare({ model, access }: Subject, options: SelfTestOptions): Promise<Ready> {
  const harness = await options.harnessAvailable(model.harness, model.agent)
  if (!harness.ok) {
    return { failed: failure('missing-harness', harness.message, { install: harness.cure }) }
  }
  const unservable = await catalogueFault(model, options.servable)
  if (unservable !== undefined) return { failed: failure('model', unservable) }
  return access ? request(model, access, options) : {}
}

function request(
  model: ResolvedModel,
  { credential, endpoint, isLent, login }: Access,
  { skipRequest: skip, origins }: SelfTestOptions,
): Ready {
  const { provider } = model
  if (model.hasOwnLogin) return {}
  const keys = credentialVariables(provider, 'codon')
  if (!credential.ok && skip) return {}
  if (!credential.ok) return { failed: failure('auth', `There is no key for ${provider}.`, { keys }) }
  // Only the agent itself can tell whether such a login is good.
  if (login?.kind === 'cloud' || login?.kind === 'file') return {}
  const { variable: name } = credential
  const value = credential.value.trim()
  if (!/^[\x20-\x7e]+$/.test(value)) {
    return { failed: failure('auth', `${name} holds letters that no key has.`, { keys: [name] }) }
  }
  const { variable } = endpoint
  const address = origins?.get(variable ?? '') ?? variable
  if (!endpoint.ok) return { failed: failure('network', endpoint.message, { address }) }
  if (!isPlain(endpoint.api)) {
    const what = `The address in ${address ?? provider} has a user, a password, a query or a fragment in it.`
    return { failed: failure('network', what, { address }) }
  }
  const isUntold = skip || isLent || name === 'CLAUDE_CODE_OAUTH_TOKEN'
  const probe = isUntold ? undefined : probeFor(model, endpoint, { value, isToken: login?.kind === 'token' })
  if (!probe) return {}
  const host = hostOf(endpoint.api) + (address === undefined ? '' : ` (from ${address})`)
  return { asked: { probe, provider, host, key: { name, value }, address } }
}

/** A path can be added to nothing else, and `fetch` quotes an address with a password when it refuses it. */
function isPlain(address: string): boolean {
  const { username, password, search, hash } = new URL(address)
  return [username, password, search, hash].every(part => part === '')
}

/** Whether the embedded SDK can serve a model. Asked only once its harness is known to be there. */
export type Servable = (provider: string, id: string) => boolean | Promise<boolean>

/** Until somebody can say otherwise, every model of the registry is taken to be servable. */
export const anyModel: Servable = () => true

/**
 * The catalogue preflight: our registry may know a model that the embedded SDK does not, and the codon that names it
 * would fail after earlier ones have spent money. Says what is wrong, if anything is.
 */
async function catalogueFault(model: ResolvedModel, servable: Servable): Promise<string | undefined> {
  if (model.harness !== 'embedded') return undefined
  if (await servable(model.provider, model.id)) return undefined
  return `The embedded SDK cannot serve ${model.provider}/${model.id}, although the model is known.`
}
