import type { Api, Model } from '@earendil-works/pi-ai'
import type { Result } from '../../../kit/index.ts'
import type { AgentTask } from '../worker-protocol.ts'

type Facts = 'contextWindow' | 'maxOutputTokens' | 'dialect' | 'reasoning' | 'compat'
type Wanted = Pick<AgentTask, 'provider' | 'model' | 'address' | Facts>

/**
 * The SDK's own entry; for a model newer than its catalogue the nearest of the provider, whose entries are `all`; for a
 * provider that it does not know, plain chat completions.
 */
export function pickModel(
  all: readonly Model<Api>[],
  wanted: Wanted,
): Result<{ readonly model: Model<Api> }> {
  const known = isElsewhere(wanted) ? [] : all
  const own = known.find(({ id }) => id === wanted.model)
  const model = own
    ? { ...own, contextWindow: wanted.contextWindow ?? own.contextWindow }
    : (likeNearest(known, wanted) ?? plain(wanted))
  if (model) return { ok: true, model: asWanted(model, wanted) }
  return {
    ok: false,
    message: `The embedded SDK does not know the provider ${wanted.provider}, and no variable gives its address.`,
  }
}

/** Their own address goes with a login of their own. At another one nobody speaks as they do. */
const needLogin: ReadonlySet<string> = new Set(['github-copilot', 'openai-codex'])

function isElsewhere({ provider, address }: Wanted): boolean {
  return address !== undefined && needLogin.has(provider)
}

/** With what a file says of it beyond the SDK's own entry. */
function asWanted(model: Model<Api>, wanted: Wanted): Model<Api> {
  const { dialect, reasoning, compat } = wanted
  const said = {
    ...model,
    ...(dialect !== undefined && { api: dialect }),
    ...(reasoning !== undefined && { reasoning }),
    ...(compat && { compat: { ...model.compat, ...compat } }),
  }
  return { ...said, ...addressOf(said, wanted) }
}

function likeNearest(known: readonly Model<Api>[], wanted: Wanted): Model<Api> | undefined {
  const { model: id } = wanted
  const rank = (one: Model<Api>) => sharedStart(one.id, id)
  const [nearest] = [...known].sort((left, right) => rank(right) - rank(left) || byVersion(right.id, left.id))
  if (!nearest) return undefined
  // The dialect has two ways to ask for thinking and each model takes only one; none was asked for by the codon.
  const quiet = nearest.api === 'anthropic-messages' ? { reasoning: false } : {}
  const { contextWindow = nearest.contextWindow, maxOutputTokens: maxTokens = nearest.maxTokens } = wanted
  return { ...nearest, ...quiet, id, name: id, contextWindow, maxTokens }
}

function sharedStart(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}

function byVersion(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true })
}

function plain(wanted: Wanted): Model<Api> | undefined {
  const {
    provider,
    model: id,
    address,
    contextWindow = 128_000,
    maxOutputTokens: maxTokens = 16_384,
  } = wanted
  return (
    address && {
      id,
      name: id,
      provider,
      api: 'openai-completions',
      baseUrl: address.api,
      reasoning: false,
      input: ['text'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow,
      maxTokens,
    }
  )
}

/** Their clients add the version path themselves. */
const withoutVersion: ReadonlySet<string> = new Set(['anthropic-messages', 'mistral-conversations'])

function addressOf({ api }: Model<Api>, { address }: Wanted): Partial<Model<Api>> {
  if (!address) return {}
  return { baseUrl: withoutVersion.has(api) ? address.root : address.api }
}
