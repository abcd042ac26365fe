import { type Deadline, messageOf } from '../kit/index.ts'
import type { Completion, UsedTokens } from '../llm/index.ts'
import {
  costOf,
  credentialFor,
  type Environment,
  endpointFor,
  type Prices,
  type ResolvedModel,
} from '../models/index.ts'
import type { Access, SentinelsOptions } from './options.ts'

type Health =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly retriable: boolean }

const limitMs = 30_000

/** One small call for each distinct model. */
export function createHealthChecks(options: SentinelsOptions, signal: AbortSignal) {
  const { attachments, modelOf, accessTo, call, clock } = options
  // In order: the check of a model belongs to the first sentinel that has it.
  const users = attachments.flatMap(({ config }) => {
    const model = modelOf(config.model)
    return model ? [{ model, sentinelId: config.id }] : []
  })
  const checks = new Map<string, Promise<Health>>()
  const charges = new Map<string, Account>()
  const nameOf = ({ provider, id }: ResolvedModel) => `${provider}/${id}`

  async function check(model: ResolvedModel): Promise<Health> {
    const owner = users.find(user => nameOf(user.model) === nameOf(model))
    const access = accessTo(model, owner?.sentinelId ?? '')
    if (!access.ok) return { ok: false, message: access.message, retriable: false }
    const { provider, id: modelId, dialect } = model
    const { key, api } = access
    const answer = await askWithin(
      deadline => call({ ...question, provider, modelId, dialect, key, api, signal: deadline }),
      { clock, ms: limitMs, signal },
    )
    if (answer.tokens) charges.set(nameOf(model), chargeOf(answer.tokens, model.prices))
    // A model that says nothing with so few tokens has answered all the same.
    if (answer.ok || answer.tokens) return { ok: true }
    return { ok: false, message: answer.message, retriable: answer.retriable }
  }

  function begin(model: ResolvedModel): Promise<Health> {
    const begun = check(model)
    checks.set(nameOf(model), begun)
    return begun
  }

  return {
    /** Asks every model once, in parallel. Returns at once. */
    start(): void {
      for (const { model } of users) if (!checks.has(nameOf(model))) void begin(model)
    },
    /** How a model is; asks it if nobody did, or if it was unwell in a way that passes. Never rejects. */
    async of(model: ResolvedModel): Promise<Health> {
      const asked = checks.get(nameOf(model)) ?? begin(model)
      const known = await asked
      if (known.ok || !known.retriable) return known
      const since = checks.get(nameOf(model))
      return since === undefined || since === asked ? begin(model) : since
    },
    /** Resolves when every check that was begun is over. */
    async all(): Promise<void> {
      await Promise.all(checks.values())
    },
    /** What the check of a model cost; given once, so that it is counted once. */
    takeCharge(model: ResolvedModel): Account | undefined {
      const charge = charges.get(nameOf(model))
      charges.delete(nameOf(model))
      return charge
    },
  }
}

const question = {
  messages: [{ role: 'user', content: 'Reply with the word ok.' }],
  maxOutputTokens: 16,
  maxRetries: 0,
} as const

/**
 * The way to a model for sentinels: the key that is theirs alone, then the plain one; the address from the variables of
 * the provider, else its usual one. Never through our own proxy. Give it the environment of the server.
 */
export function accessFrom({ provider }: ResolvedModel, environment: Environment): Access {
  const credential = credentialFor(provider, 'sentinel', environment)
  if (!credential.ok)
    return { ok: false, message: `there is no key for ${provider}; set ${credential.missing.join(' or ')}` }
  const endpoint = endpointFor(provider, environment)
  if (!endpoint.ok) return { ok: false, message: endpoint.message.replace(/\.$/, '') }
  return { ok: true, key: credential.value.trim(), api: endpoint.api }
}

/** What a sentinel has spent so far. */
export interface Account {
  readonly dollars: number
  /** Some of it has no known price. */
  readonly isUnknown: boolean
  readonly tokens: { readonly input: number; readonly output: number }
  readonly calls: number
}

export const emptyAccount: Account = {
  dollars: 0,
  isUnknown: false,
  tokens: { input: 0, output: 0 },
  calls: 0,
}

/** The account of one call. `tokens` are undefined when there was no answer. */
export function chargeOf(tokens: UsedTokens | undefined, prices: Prices | undefined): Account {
  if (!tokens || tokens === 'unknown') return { ...emptyAccount, isUnknown: tokens === 'unknown', calls: 1 }
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens
  const cost = costOf(tokens, prices)
  return {
    dollars: cost.known ? cost.dollars : 0,
    isUnknown: !cost.known,
    tokens: { input: inputTokens + cacheReadTokens + cacheCreationTokens, output: outputTokens },
    calls: 1,
  }
}

export function addAccounts(one: Account, other: Account): Account {
  return {
    dollars: one.dollars + other.dollars,
    isUnknown: one.isUnknown || other.isUnknown,
    tokens: {
      input: one.tokens.input + other.tokens.input,
      output: one.tokens.output + other.tokens.output,
    },
    calls: one.calls + other.calls,
  }
}

/** A call that is stopped when it takes too long, or when `signal` aborts. Never rejects. */
export async function askWithin(
  ask: (signal: AbortSignal) => Promise<Completion>,
  { clock, ms, signal }: Deadline & { readonly signal: AbortSignal },
): Promise<Completion> {
  const over = new AbortController()
  const late = new AbortController()
  clock.sleep(ms, AbortSignal.any([signal, over.signal])).then(
    () => late.abort(),
    () => undefined,
  )
  const answer = await ask(AbortSignal.any([signal, late.signal])).catch(
    (error: unknown): Completion => ({
      ok: false,
      retriable: false,
      message: `The call failed: ${messageOf(error)}`,
    }),
  )
  over.abort()
  if (answer.ok || !late.signal.aborted || signal.aborted) return answer
  return { ok: false, retriable: true, message: `There was no answer within ${ms / 1000} s.` }
}
