import { createHash } from 'node:crypto'
import {
  currentRun,
  emptyState,
  parseTransition,
  reduce,
  type Transition,
  type WeaveState,
  weaveState,
} from '@weave/protocol'
import * as z from 'zod'
import { readRegularFile, writeFileAtomicSync } from '../files/index.ts'
import type { History } from './history.ts'
import type { KnownEnd } from './last-lines.ts'
import { createScratch, type StoredEvent } from './line-reader.ts'
import type { ReadProblem } from './page.ts'
import type { JournalSurvey } from './survey.ts'

/** A state as the journal has it. */
export interface Replayed {
  readonly state: WeaveState
  /** The last event the state knows of. */
  readonly lastSeq: number
  /** `cache`: only what came after the cached state was read. */
  readonly source: 'cache' | 'journal'
  /** Transitions that the reducer refused or that could not be read: damage, each with its place and reason. */
  readonly refused: readonly { readonly seq: number; readonly reason: string }[]
  /** Lines that had to be passed over. */
  readonly damaged: readonly ReadProblem[]
}

export interface ReplayOptions {
  readonly isCacheTrusted?: boolean
  /** The state as it was right after this event. */
  readonly upTo?: number | undefined
}

/** Folds the journal into a state. The cache only saves time: whatever is wrong with it, the journal wins. */
export async function replay(
  history: History,
  statePath: string,
  { isCacheTrusted = true, upTo }: ReplayOptions = {},
): Promise<Replayed> {
  if (upTo !== undefined) return fold(history, { state: emptyState, lastSeq: 0, source: 'journal' }, upTo)
  const cached = isCacheTrusted ? await cachedState(history, statePath) : undefined
  if (cached) return fold(history, { state: cached.state, lastSeq: cached.lastSeq, source: 'cache' })
  return fold(history, { state: emptyState, lastSeq: 0, source: 'journal' })
}

/**
 * What the next process writes about a run that has no end: only it can know that the run crashed. Not before the last
 * event: that may have come from a machine whose clock is ahead of this one's.
 */
export function crashOf(
  state: WeaveState,
  now: Date,
  lastEventAt?: string,
): Transition<'RunCrashed'> | undefined {
  const run = currentRun(state)
  if (run?.status !== 'running') return undefined
  const here = now.toISOString()
  const endTime = lastEventAt !== undefined && lastEventAt > here ? lastEventAt : here
  return { type: 'RunCrashed', data: { runId: run.runId, endTime } }
}

/** When the last event was written, by the clock of who wrote it. */
export async function lastEventTime(history: History, lastSeq: number): Promise<string | undefined> {
  for await (const page of history.pages({ after: lastSeq - 1, upTo: lastSeq })) {
    const stored = page.events[0]
    const event = stored && (await history.event(stored))
    if (event) return event.timestamp
  }
  return undefined
}

/** The state that was written down as of an event of this journal. Never rejects for what is wrong with it. */
export async function cachedState(history: History, statePath: string): Promise<CachedState | undefined> {
  const cached = await readStateCache(statePath)
  return cached && (await belongsTo(history, cached)) ? cached : undefined
}

/** A cache made from another journal, or from a longer one, is not this journal's. */
async function belongsTo(history: History, cached: CachedState): Promise<boolean> {
  if (cached.lastSeq === 0) return true
  for await (const page of history.pages({ after: cached.lastSeq - 1, upTo: cached.lastSeq, maxEvents: 1 })) {
    const stored = page.events[0]
    const event = stored && (await history.event(stored))
    return event?.seq === cached.lastSeq && event.id === cached.lastId
  }
  return false
}

async function fold(
  history: History,
  from: Omit<Replayed, 'refused' | 'damaged'>,
  upTo?: number,
): Promise<Replayed> {
  const refused: { seq: number; reason: string }[] = []
  const damaged: ReadProblem[] = []
  let { state, lastSeq } = from
  for await (const page of history.pages({
    after: from.lastSeq,
    ...(upTo !== undefined && { upTo }),
    maxEvents: 5_000,
    maxBytes: 8 * 1024 * 1024,
    scratch: createScratch(),
  })) {
    damaged.push(...page.problems)
    for (const stored of page.events) {
      lastSeq = stored.seq
      if (!mayBeTransition(stored)) continue
      const next = await applied(history, stored, state)
      if (typeof next === 'string') refused.push({ seq: stored.seq, reason: next })
      else state = next
    }
  }
  return { ...from, state, lastSeq, refused, damaged }
}

const transitionMark = Buffer.from('"type":"state.transition"')
const headBytes = 4096

/** The state after an event, from a journal that was read as a whole. What cannot be read is passed over. */
export async function stateIn(survey: JournalSurvey, upTo = Number.POSITIVE_INFINITY): Promise<WeaveState> {
  let state: WeaveState = emptyState
  for (const stored of survey.marked) {
    if (stored.seq > upTo) break
    const next = mayBeTransition(stored) ? await applied(survey, stored, state) : state
    if (typeof next !== 'string') state = next
  }
  return state
}

/** Checks the bytes, so that only transitions are parsed. Text inside another event can only cost a parse. */
function mayBeTransition(stored: StoredEvent): boolean {
  return stored.rest.subarray(0, headBytes).includes(transitionMark)
}

/** The state after an event, or why it was refused. */
async function applied(
  history: Pick<History, 'event'>,
  stored: StoredEvent,
  state: WeaveState,
): Promise<WeaveState | string> {
  // Its checksum proves the line, and the transition in it is checked below: a second look at the whole costs most of the time.
  const event = await history.event(stored)
  if (!event) return 'the event cannot be read'
  if (event.type !== 'state.transition') return state
  if (!('transition' in event.data)) return 'the event cannot be read'
  const transition = parseTransition(event.data.transition)
  if ('problem' in transition) return transition.problem
  const reduction = reduce(state, transition)
  return reduction.ok ? reduction.state : reduction.reason
}

/**
 * `state.json`: the state as of one event, so that a start need not read the whole journal. Written whole or not at all;
 * its digest shows whether the file is torn or flipped.
 */
interface CachedState extends KnownEnd {
  readonly state: WeaveState
}

const version = 1
/** The state is checked but handed on as it is, so that the digest of what was read can be taken. */
const cacheFile = z.object({
  sha256: z.string(),
  body: z.object({
    version: z.literal(version),
    lastSeq: z.int().nonnegative(),
    lastId: z.string(),
    state: z.custom<WeaveState>(value => weaveState.safeParse(value).success),
    // For lists, which read hundreds of these at a time.
    said: z
      .object({
        warnings: z.int().nonnegative(),
        question: z.string().optional(),
        codons: z.int().nonnegative(),
      })
      .optional(),
  }),
})

const maxBytes = 512 * 1024 * 1024

/** Throws what the disk throws; the old file is then still there. */
export function writeStateCache(path: string, { state, lastSeq, lastId, said }: CachedState): void {
  const body = JSON.stringify({ version, lastSeq, lastId, state, said })
  writeFileAtomicSync(path, `{"sha256":"${digest(body)}","body":${body}}\n`)
}

/** Undefined for anything but a whole file of this version. Never throws. */
async function readStateCache(path: string): Promise<CachedState | undefined> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok) return undefined
  try {
    const { sha256, body } = cacheFile.parse(JSON.parse(read.bytes.toString('utf8')))
    if (digest(JSON.stringify(body)) !== sha256) return undefined
    const { state, lastSeq, lastId } = body
    return { state, lastSeq, lastId }
  } catch {
    return undefined
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
