import type { PatternCompiler } from '../hank/index.ts'
import {
  createTest,
  createTrigger,
  followsFromSentinel,
  type ObservedEvent,
  startOf,
} from '../sentinel/index.ts'
import type { RuleSetting } from '../settings/index.ts'
import { createHitCount, type Hits } from './hits.ts'

/** An event with its place in the journal. */
export type RuledEvent = ObservedEvent & { readonly seq: number }

/** A rule was met in an attempt at a codon. */
export interface Firing {
  readonly rule: RuleSetting
  /** Runtime id, and when the attempt began. */
  readonly codonId: string
  readonly startTime: string
  readonly hits: number
  readonly evidence: readonly number[]
  /** Of the event that made it fire. */
  readonly seq: number
  readonly timestamp: string
}

const none: readonly Firing[] = []

/**
 * The rules of an operator over the events of an execution. The same events give the same firings, live and over a recorded
 * journal. Takes each event once, in order; awaits nothing and does not throw.
 */
export function createRuleMatcher(rules: readonly RuleSetting[], compile: PatternCompiler) {
  const watches = rules.map(rule => createWatch(rule, compile))
  let codon: { readonly id: string; readonly startTime: string } | undefined
  let here: readonly Watch[] = []
  /** Those of the codon that is under way, by the type of an event. */
  const byType = new Map<string, readonly Watch[]>()

  const listenersTo = (type: string): readonly Watch[] => {
    const known = byType.get(type)
    if (known) return known
    const found = here.filter(watch => watch.wants(type))
    byType.set(type, found)
    return found
  }
  const begin = (event: RuledEvent): void => {
    const started = startOf(event)
    if (!started) return
    codon = started
    here = watches.filter(({ rule }) => holdsIn(rule, started.id))
    byType.clear()
    for (const watch of watches) watch.begin()
  }
  const firingsOf = (event: RuledEvent): readonly Firing[] => {
    const listeners = listenersTo(event.type)
    if (!codon || listeners.length === 0) return none
    const { id: codonId, startTime } = codon
    const { seq, timestamp } = event
    let firings = none
    const isOfSentinel = followsFromSentinel(event)
    for (const watch of listeners) {
      // A sentinel's own words are for rules that ask for it, and wake no other.
      if (isOfSentinel && watch.rule.trigger) continue
      const hits = watch.feed(event)
      if (!hits) continue
      const { rule } = watch
      const { count, evidence } = hits
      firings = [...firings, { rule, codonId, startTime, hits: count, evidence, seq, timestamp }]
    }
    return firings
  }
  return {
    add(event: RuledEvent): readonly Firing[] {
      if (isOwn(event.type)) return none
      begin(event)
      const firings = firingsOf(event)
      if (event.type === 'codon.completed') codon = undefined
      return firings
    },
  }
}

/** What follows from rules must not meet one. */
function isOwn(type: string): boolean {
  return type === 'rule.fired' || type.startsWith('gate.')
}

function holdsIn({ codons }: RuleSetting, runtimeId: string): boolean {
  return codons === undefined || codons.some(id => runtimeId === id || runtimeId.startsWith(`${id}#`))
}

/** One rule in one attempt after the other. */
interface Watch {
  readonly rule: RuleSetting
  readonly wants: (type: string) => boolean
  readonly begin: () => void
  readonly feed: (event: RuledEvent) => Hits | undefined
}

function createWatch(rule: RuleSetting, compile: PatternCompiler): Watch {
  if (!rule.trigger) return watchSentinel(rule, compile)
  return rule.trigger.type === 'event'
    ? watchEvents(rule, rule.trigger, compile)
    : watchSequence(rule, rule.trigger, compile)
}

type TriggerOf<Type> = Extract<RuleSetting['trigger'], { readonly type: Type }>

function watchEvents(rule: RuleSetting, config: TriggerOf<'event'>, compile: PatternCompiler): Watch {
  const counted = createHitCount(rule)
  const holds = createTest(config.conditions, compile)
  return {
    rule,
    wants: createTrigger(config, compile).wants,
    begin: counted.clear,
    feed(event) {
      // Every event of a run comes by here, once for each rule, and nearly none is a hit.
      if (holds(event.data)) return counted.hit(event.timestamp, [event.seq])
      counted.miss()
      return undefined
    },
  }
}

/** Most events are a step on the way and no miss. */
function watchSequence(rule: RuleSetting, config: TriggerOf<'sequence'>, compile: PatternCompiler): Watch {
  const counted = createHitCount(rule)
  let trigger = createTrigger(config, compile)
  return {
    rule,
    wants: trigger.wants,
    begin() {
      counted.clear()
      trigger = createTrigger(config, compile)
    },
    feed(event) {
      const fired = trigger.feed(event)
      if (!fired) return undefined
      const seqs = fired.flatMap(({ seq }) => seq ?? [])
      return counted.hit(event.timestamp, seqs)
    },
  }
}

function watchSentinel(rule: RuleSetting, compile: PatternCompiler): Watch {
  const counted = createHitCount(rule)
  const holds = createTest(rule.when, compile)
  return {
    rule,
    wants: type => type === 'sentinel.output',
    begin: counted.clear,
    feed(event) {
      const said = structuredOutput(event, rule.sentinel)
      if (!said) return undefined
      if (holds(said)) return counted.hit(event.timestamp, [event.seq])
      counted.miss()
      return undefined
    },
  }
}

/** What this sentinel said, as an object: a word of an `enum` is its `value`. */
function structuredOutput({ data }: RuledEvent, sentinelId: string | undefined): object | undefined {
  const { sentinelId: by, outputType, content } = data as Readonly<Record<string, unknown>>
  if (by !== sentinelId || outputType !== 'structured') return undefined
  if (typeof content === 'string') return { value: content }
  return typeof content === 'object' && content !== null ? content : undefined
}
