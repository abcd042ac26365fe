import type { Clock } from '../kit/index.ts'
import type { Completion, CompletionRequest } from '../llm/index.ts'
import type { ResolvedModel } from '../models/index.ts'
import type { Access } from './access.ts'
import { type Account, chargeOf } from './account.ts'
import { askWithin } from './ask-within.ts'

export type Call = (request: CompletionRequest) => Promise<Completion>

export type Health =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly retriable: boolean }

export interface HealthChecks {
  /** Asks every model once, in parallel. Returns at once. */
  start(): void
  /** How a model is; asks it if nobody did, or if it was unwell in a way that passes. Never rejects. */
  of(model: ResolvedModel): Promise<Health>
  /** Resolves when every check that was begun is over. */
  all(): Promise<void>
  /** What the check of a model cost; told once, so that it is counted once. */
  takeCharge(model: ResolvedModel): Account | undefined
}

export interface HealthOptions {
  /** Of each sentinel of the hank, in order. The check of a model belongs to the first sentinel that has it. */
  readonly users: readonly { readonly model: ResolvedModel; readonly sentinelId: string }[]
  readonly accessTo: (model: ResolvedModel, sentinelId: string) => Access
  readonly call: Call
  readonly clock: Clock
  readonly signal: AbortSignal
}

const limitMs = 30_000

/** One small call for each distinct model. */
export function createHealthChecks({ users, accessTo, call, clock, signal }: HealthOptions): HealthChecks {
  const checks = new Map<string, Promise<Health>>()
  const charges = new Map<string, Account>()
  const nameOf = ({ provider, id }: ResolvedModel) => `${provider}/${id}`

  async function check(model: ResolvedModel): Promise<Health> {
    const owner = users.find(user => nameOf(user.model) === nameOf(model))
    const access = accessTo(model, owner?.sentinelId ?? '')
    if (!access.ok) return { ok: false, message: access.message, retriable: false }
    const { provider, id: modelId } = model
    const { key, api } = access
    const answer = await askWithin(
      deadline => call({ ...question, provider, modelId, key, api, signal: deadline }),
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
    start() {
      for (const { model } of users) if (!checks.has(nameOf(model))) void begin(model)
    },
    async of(model) {
      const asked = checks.get(nameOf(model)) ?? begin(model)
      const known = await asked
      if (known.ok || !known.retriable) return known
      const since = checks.get(nameOf(model))
      return since === undefined || since === asked ? begin(model) : since
    },
    async all() {
      await Promise.all(checks.values())
    },
    takeCharge(model) {
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
