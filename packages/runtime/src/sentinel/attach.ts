import type { EventData, SentinelState } from '@weave/protocol'
import { type Clock, inTime } from '../kit/index.ts'
import { pieceOf } from './event-batch.ts'
import { followsFromSentinel, type ObservedEvent } from './events.ts'
import type { Observer } from './observer.ts'

/** The sentinels of one codon while it runs. */
export interface CodonSentinels {
  /** Takes note of an event, unless a sentinel caused it. Awaits nothing, throws nothing, and costs about a microsecond. */
  route(event: ObservedEvent): void
  /** Ends them all; call it once. Resolves when all are unloaded, after about a minute at the latest. Never rejects. */
  finish(ending: CodonEnding): Promise<void>
  states(): readonly SentinelState[]
}

/**
 * With `codon-complete` all that is pending is still worked off; `completed` is what clients will hear of the codon when
 * they are done, for sentinels that listen for it. With `shutdown` they stop at once.
 */
type CodonEnding =
  | { readonly reason: 'codon-complete'; readonly completed?: EventData<'codon.completed'> }
  | { readonly reason: 'shutdown' }

/** After so long the end of a codon does not wait for its sentinels any more. */
const longestEnd = 60_000

/** So many turns of the event loop an event waits for others, at most. */
const mostTurns = 10

/** `failed`: the states of those that could not be loaded. */
export function attach(
  observers: readonly Observer[],
  failed: readonly SentinelState[],
  clock: Clock,
): CodonSentinels {
  const groups = groupsOf(observers)
  const byType = new Map<string, readonly Group[]>()
  let turnsWaited = 0
  let isScheduled = false
  let hasMore = false

  function listenersTo(type: string): readonly Group[] {
    const known = byType.get(type)
    if (known) return known
    const found = groups.filter(group => group.wants(type))
    byType.set(type, found)
    return found
  }

  function deliver(): void {
    turnsWaited = 0
    for (const group of groups) group.deliver()
  }

  /** While the agent is busy its events are left to gather; once a turn of the loop brings nothing new they go out. */
  function deliverWhenQuiet(): void {
    isScheduled = false
    const isBusy = hasMore && turnsWaited < mostTurns
    if (!isBusy) deliver()
    else {
      turnsWaited++
      schedule()
    }
  }

  function schedule(): void {
    hasMore = false
    isScheduled = true
    setImmediate(deliverWhenQuiet)
  }

  function route(event: ObservedEvent): void {
    if (followsFromSentinel(event)) return
    const listeners = listenersTo(event.type)
    if (listeners.length === 0) return
    const now = clock.monotonic()
    for (const group of listeners) group.put(event, now)
    if (isScheduled) hasMore = true
    else schedule()
  }

  return {
    route,
    async finish(ending) {
      if (ending.reason === 'codon-complete') {
        const { completed } = ending
        const timestamp = clock.now().toISOString()
        if (completed) route({ type: 'codon.completed', timestamp, data: completed })
        deliver()
        await inTime(Promise.all(observers.map(observer => observer.drain())), { clock, ms: longestEnd })
      }
      deliver()
      await Promise.all(observers.map(observer => observer.unload(ending.reason)))
    },
    states: () => [...observers.map(({ state }) => state), ...failed],
  }
}

function groupsOf(observers: readonly Observer[]): readonly Group[] {
  const interests = [...new Set(observers.map(({ interest }) => interest))]
  return interests.map(interest => groupOf(observers.filter(observer => observer.interest === interest)))
}

type Group = ReturnType<typeof groupOf>

const mostBuffered = 100

/** Those that want the same events. Their events are gathered: several at a time cost a sentinel little more than one. */
function groupOf(members: readonly Observer[]) {
  let events: ObservedEvent[] = []
  let times: number[] = []
  const deliver = (): void => {
    if (events.length === 0) return
    const delivery = { ...pieceOf(events), times }
    events = []
    times = []
    for (const observer of members) observer.route(delivery)
  }
  for (const observer of members) observer.follow(deliver)
  return {
    wants: (type: string) => members.some(observer => observer.wants(type)),
    put(event: ObservedEvent, now: number): void {
      events.push(event)
      times.push(now)
      if (events.length >= mostBuffered) deliver()
    },
    deliver,
  }
}
