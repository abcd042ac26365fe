import {
  type Asked,
  chargeOf,
  type GatewayAnswer,
  type GatewaySeat,
  type Leash,
  type Model,
  mostOf,
  startGateway,
  systemClock,
} from '@weave/runtime'
import type { RequestFacts, RequestOutcome } from 'weave-fleet'
import type { TurnGateway } from '../run/turn-ties.ts'
import type { TurnChannel } from './turn-channel.ts'

type ModelOf = (provider: string, id: string) => Model | undefined

/** The way to all providers of one turn. The worker decides about every request; what it costs is known here. */
export async function openTurnGateway(
  channel: Pick<TurnChannel, 'request' | 'answered'>,
  leash: Pick<Leash, 'fresh'>,
) {
  let modelOf: ModelOf = () => undefined
  const numbers = new WeakMap<Asked, number>()
  const seat: GatewaySeat = {
    async before(asked, signal) {
      await leash.fresh(signal)
      const { id, word } = channel.request(factsOf(asked, priced(asked, modelOf)), signal)
      numbers.set(asked, id)
      const heard = await word
      // The word may have waited here while this process stood still.
      if (heard.kind === 'forward') await leash.fresh(signal)
      return heard
    },
    after(asked, answer) {
      const id = numbers.get(asked)
      if (id !== undefined) channel.answered(id, outcomeOf(asked, answer, priced(asked, modelOf)))
    },
  }
  const started = await startGateway({ seat, clock: systemClock, environment: process.env })
  if (!started.ok) return started
  const { through, close } = started.gateway
  const gateway: TurnGateway = {
    through,
    knows(lookup) {
      modelOf = lookup
    },
  }
  return { ok: true as const, gateway, close }
}

/** Providers name a model with its date, too. */
function priced({ provider, model }: Asked, modelOf: ModelOf): Model | undefined {
  if (model === undefined) return undefined
  return modelOf(provider, model) ?? modelOf(provider, model.replace(/-\d{8}$|-\d{4}-\d{2}-\d{2}$/, ''))
}

function factsOf(asked: Asked, model: Model | undefined): RequestFacts {
  const { provider, kind } = asked
  const most = kind === 'answer' && model ? mostOf(asked, model) : undefined
  return { provider, kind, model: asked.model, ...(most && { most }) }
}

function outcomeOf(asked: Asked, answer: GatewayAnswer, model: Model | undefined): RequestOutcome {
  const { tokens, isWhole, isFree, status, retryAfterMs } = answer
  const micros =
    isFree && !tokens ? 0 : tokens && isWhole ? chargeOf(tokens, asked, model?.prices) : undefined
  const all = tokens && Object.values(tokens).reduce((sum, count) => sum + count, 0)
  return { micros, tokens: isFree ? 0 : isWhole ? all : undefined, status, retryAfterMs }
}
