import type { EventData, SentinelState } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import type { ObservedEvent } from './observed.ts'
import type { Observer } from './observer.ts'

/** The sentinels of one codon while it runs. */
export interface CodonSentinels {
  /** Takes note of an event. Awaits nothing, throws nothing, and costs about a microsecond. */
  route(event: ObservedEvent): void
  /** Ends them all; call it once. Resolves when all are unloaded, after about a minute at the latest. Never rejects. */
  finish(ending: CodonEnding): Promise<void>
  states(): readonly SentinelState[]
}

/**
 * With `codon-complete` all that is pending is still worked off. `completed`: what will be said of the codon when they
 * are done, for those that listen for it. With `shutdown` they stop at once.
 */
export type CodonEnding =
  | { readonly reason: 'codon-complete'; readonly completed?: EventData<'codon.completed'> }
  | { readonly reason: 'shutdown' }

/** After so long the end of a codon does not wait for its sentinels any more. */
const longestEnd = 60_000

export interface Observers {
  readonly observers: readonly Observer[]
  /** Of those that could not be loaded. */
  readonly failed: readonly SentinelState[]
  readonly clock: Clock
}

export function attach({ observers, failed, clock }: Observers): CodonSentinels {
  const byType = new Map<string, readonly Observer[]>()

  function listenersTo(type: string): readonly Observer[] {
    const known = byType.get(type)
    if (known) return known
    const found = observers.filter(observer => observer.wants(type))
    byType.set(type, found)
    return found
  }

  function route(event: ObservedEvent): void {
    const listeners = listenersTo(event.type)
    if (listeners.length === 0) return
    const now = clock.monotonic()
    for (const observer of listeners) observer.route(event, now)
  }

  async function drain(): Promise<void> {
    const over = new AbortController()
    const late = new AbortController()
    clock.sleep(longestEnd, over.signal).then(
      () => late.abort(),
      () => undefined,
    )
    await Promise.all(observers.map(observer => observer.drain(late.signal)))
    over.abort()
  }

  return {
    route,
    async finish(ending) {
      if (ending.reason === 'codon-complete') {
        const { completed } = ending
        const timestamp = clock.now().toISOString()
        if (completed) route({ type: 'codon.completed', timestamp, data: completed })
        await drain()
      }
      await Promise.all(observers.map(observer => observer.unload(ending.reason)))
    },
    states: () => [...observers.map(({ state }) => state), ...failed],
  }
}
