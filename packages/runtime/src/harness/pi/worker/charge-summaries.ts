import type { Api, SimpleStreamOptions } from '@earendil-works/pi-ai'
import type { Narrator } from './narrator.ts'
import type { Sdk } from './sdk.ts'

/**
 * Charges the calls that shorten a session: the SDK makes them on the side and tells nobody what they cost. They would
 * also be retried by the provider's client, which no setting of a session forbids.
 */
export function chargeSummaries({ ai }: Sdk, api: Api, narrator: Narrator): void {
  const inner = ai.getApiProvider(api)
  if (!inner) return
  ai.registerApiProvider({
    api,
    stream: inner.stream,
    streamSimple(model, context, options?: SimpleStreamOptions) {
      if (!narrator.isCompacting) return inner.streamSimple(model, context, options)
      const stream = inner.streamSimple(model, context, { ...options, maxRetries: 0 })
      void stream.result().then(({ usage }) => narrator.charge(usage))
      return stream
    },
  })
}
