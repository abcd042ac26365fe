import { basename } from 'node:path'
import {
  type CodonExecution,
  currentRun,
  lineageOf,
  type TokenCounts,
  type WeaveState,
} from '@weave/protocol'
import { createScratch, type RecordedEvent, type StoredEvent } from '../journal/index.ts'
import type { Failure, Result } from '../kit/index.ts'
import { type ForkOrigin, readLock, readOrigin } from '../workspace/index.ts'
import { digestOf, type SaidOrDone, stepOf } from './compare-steps.ts'
import { forkPlace } from './fork-place.ts'
import type { ReadPlace } from './read-place.ts'

/** What is known of one codon, all its attempts together. */
export interface CodonFacts {
  readonly status: string
  readonly attempts: number
  readonly model: string
  readonly durationMs: number
  readonly cost: number
  readonly tokens: TokenCounts
  readonly messages: number
  readonly toolCalls: number
  readonly toolErrors: number
  /** Files that it changed; absent when that is not known. */
  readonly files?: number
}

/** Digests of the steps of a codon, and the events that they were. */
export interface Steps {
  readonly digests: Float64Array
  /** A journal of more than 2 ** 32 events has no place on any disk. */
  readonly seqs: Uint32Array
}

/** One side of a comparison: an execution up to a checkpoint, or as it is. */
export interface Side {
  readonly place: ReadPlace
  readonly name: string
  /** Such as `draft completed, 1a2b3c4d`; absent: as it is now. */
  readonly at?: string
  /** A run is going on: what came after the last checkpoint does not count. */
  readonly isLive: boolean
  readonly origin?: ForkOrigin | undefined
  readonly state: WeaveState
  readonly thread: readonly CodonExecution[]
  /** The newest version on the thread. */
  readonly sha: string | undefined
  /** Of the last event that counts. */
  readonly lastSeq: number
  /** By runtime id, in the order of the thread. */
  readonly codons: ReadonlyMap<string, CodonFacts>
  readonly steps: ReadonlyMap<string, Steps>
  readonly parkedMs: number
  /** Waiting for people at gates. */
  readonly gatesMs: number
}

export interface SideWish {
  /** A checkpoint; the newest of all when a run is going on. */
  readonly at?: string | undefined
  /** Of both sides, so that none is told from the other by them. */
  readonly workspaces: readonly string[]
}

/** Reads a side in one pass over its journal. Memory grows with the number of steps, some bytes for each. */
export async function readSide(
  place: ReadPlace,
  { at, workspaces }: SideWish,
): Promise<Result<{ readonly side: Side }, Failure>> {
  const { layout, clock } = place
  const isLive = (await readLock(layout.lockFile, clock)).kind === 'held'
  const wanted = at ?? (isLive ? 'end' : undefined)
  const found = wanted === undefined ? undefined : await forkPlace(place, wanted)
  if (found?.ok === false) return found
  const state = found?.point.state ?? place.state
  const thread = lineageOf(state, currentRun(state))
  const lastSeq = found?.point.seq ?? (await place.history.lastSeq())
  const heard = await hearThread(place, { state, thread, lastSeq, workspaces })
  const shas = versionsOf(state, thread)
  return {
    ok: true,
    side: {
      place,
      name: basename(layout.dir),
      ...(found && { at: found.point.label }),
      isLive,
      origin: await readOrigin(layout.originFile),
      state,
      thread,
      sha: shas.at(-1),
      lastSeq,
      codons: await factsOf(place, { state, thread, heard }),
      steps: new Map(
        [...heard.steps].map(([id, { digests, seqs }]) => [id, { digests: digests.all(), seqs: seqs.all() }]),
      ),
      parkedMs: heard.parkedMs,
      gatesMs: heard.gatesMs,
    },
  }
}

const endTypes = ['completed', 'error', 'skipped'] as const

function endShaOf({ checkpoints }: CodonExecution): string | undefined {
  return endTypes.map(type => checkpoints[type]).find(sha => sha !== undefined)
}

function versionsOf({ runs }: WeaveState, thread: readonly CodonExecution[]): readonly string[] {
  const beginning = runs[0]?.initialCheckpoint
  return [
    ...(beginning === undefined ? [] : [beginning]),
    ...thread.flatMap(record => endShaOf(record) ?? []),
  ]
}

interface Heard {
  readonly steps: Map<string, StepRows>
  readonly calls: Map<string, { calls: number; errors: number }>
  parkedMs: number
  gatesMs: number
}

interface Hearing {
  readonly state: WeaveState
  readonly thread: readonly CodonExecution[]
  readonly lastSeq: number
  readonly workspaces: readonly string[]
}

const stepTypes: ReadonlySet<string> = new Set<SaidOrDone['type']>(['assistant.action', 'tool.result'])
const wantedTypes: ReadonlySet<string> = new Set([...stepTypes, 'run.parked', 'gate.decided'])
const startMarks = ['CodonStarted', 'RunStarted'].map(type => Buffer.from(`"transitionType":"${type}"`))
const headBytes = 400

async function hearThread({ history }: ReadPlace, hearing: Hearing): Promise<Heard> {
  const heard: Heard = { steps: new Map(), calls: new Map(), parkedMs: 0, gatesMs: 0 }
  const follow = createFollower(hearing, heard)
  const scratch = createScratch()
  for await (const { events } of history.pages({ upTo: hearing.lastSeq, maxEvents: 4_000, scratch })) {
    for (const stored of events) {
      const type = history.type(stored)
      if (type === 'state.transition' ? !isStart(stored) : !wantedTypes.has(type)) continue
      // The checksum of its line proves that this program wrote it.
      const data = stepTypes.has(type) ? history.uncheckedData(stored) : undefined
      const event = data ? ({ type, data, seq: stored.seq } as SaidOrDone) : await history.event(stored)
      if (event) follow(event)
    }
  }
  return heard
}

function isStart({ rest }: StoredEvent): boolean {
  const head = rest.subarray(0, headBytes)
  return startMarks.some(mark => head.includes(mark))
}

/** Which attempt an event belongs to is told by the last start before it. */
function createFollower({ state, thread, workspaces }: Hearing, heard: Heard) {
  const runOf = new Map(
    state.runs.flatMap(({ runId, codons }) => codons.map(record => [record, runId] as const)),
  )
  const kept = new Set(thread.map(record => `${runOf.get(record)} ${record.codonId} ${record.attempt}`))
  let runId = ''
  let current: string | undefined
  return (event: RecordedEvent | SaidOrDone): void => {
    const { type, data } = event
    if (type === 'state.transition') {
      const { transition } = data
      const started = transition.data as {
        readonly runId?: string
        readonly codonId?: string
        readonly attempt?: number
      }
      if (transition.type === 'RunStarted') runId = started.runId ?? ''
      const isKept = kept.has(`${runId} ${started.codonId} ${started.attempt}`)
      current = transition.type === 'CodonStarted' && isKept ? started.codonId : undefined
      return
    }
    if (type === 'run.parked')
      heard.parkedMs += Math.max(0, Date.parse(data.until) - Date.parse(event.timestamp))
    if (type === 'gate.decided') heard.gatesMs += data.waitedMs
    if (current === undefined) return
    const step = stepOf(event, workspaces)
    if (step) enter(heard, current, { digest: digestOf(step), seq: event.seq })
    if (step?.kind === 'tool') callsOf(heard, current).calls++
    if (type === 'tool.result' && data.isError) callsOf(heard, current).errors++
  }
}

function enter(
  { steps }: Heard,
  codonId: string,
  { digest, seq }: { readonly digest: number; readonly seq: number },
): void {
  const known = steps.get(codonId) ?? {
    digests: createRow(length => new Float64Array(length)),
    seqs: createRow(length => new Uint32Array(length)),
  }
  steps.set(codonId, known)
  known.digests.add(digest)
  known.seqs.add(seq)
}

interface StepRows {
  readonly digests: Row<Float64Array>
  readonly seqs: Row<Uint32Array>
}

interface Row<Numbers> {
  add(number: number): void
  all(): Numbers
}

const rowPart = 16_384

/** Numbers in bare memory, in parts: a list of a million would leave as much behind for the collector while it grows. */
function createRow<Numbers extends Float64Array | Uint32Array>(
  room: (length: number) => Numbers,
): Row<Numbers> {
  const parts: Numbers[] = []
  let length = 0
  return {
    add(number) {
      if (length % rowPart === 0) parts.push(room(rowPart))
      const part = parts.at(-1)
      if (part) part[length % rowPart] = number
      length++
    },
    all() {
      const numbers = room(length)
      for (const [at, part] of parts.entries())
        numbers.set(part.subarray(0, length - at * rowPart), at * rowPart)
      return numbers
    },
  }
}

function callsOf({ calls }: Heard, codonId: string): { calls: number; errors: number } {
  const known = calls.get(codonId) ?? { calls: 0, errors: 0 }
  calls.set(codonId, known)
  return known
}

async function factsOf(
  { versions }: ReadPlace,
  {
    state,
    thread,
    heard,
  }: { readonly state: WeaveState; readonly thread: readonly CodonExecution[]; readonly heard: Heard },
): Promise<ReadonlyMap<string, CodonFacts>> {
  const facts = new Map<string, CodonFacts>()
  let before = state.runs[0]?.initialCheckpoint
  for (const record of thread) {
    const sha = endShaOf(record)
    const compared = sha !== undefined && before !== undefined ? await versions.diff(before, sha) : undefined
    const files = compared?.ok ? compared.files.length : undefined
    before = sha ?? before
    facts.set(
      record.codonId,
      withAttempt(facts.get(record.codonId), record, { files, ...heard.calls.get(record.codonId) }),
    )
  }
  return facts
}

function withAttempt(
  known: CodonFacts | undefined,
  record: CodonExecution,
  {
    files,
    calls = 0,
    errors = 0,
  }: { readonly files?: number | undefined; readonly calls?: number; readonly errors?: number },
): CodonFacts {
  const duration =
    'endTime' in record ? Math.max(0, Date.parse(record.endTime) - Date.parse(record.startTime)) : 0
  const changed = files === undefined ? known?.files : (known?.files ?? 0) + files
  return {
    status: record.status,
    attempts: (known?.attempts ?? 0) + 1,
    model: record.model,
    durationMs: (known?.durationMs ?? 0) + duration,
    cost: (known?.cost ?? 0) + record.cost,
    tokens: plus(known?.tokens, record.tokens),
    messages: (known?.messages ?? 0) + record.assistantMessageCount,
    toolCalls: calls,
    toolErrors: errors,
    ...(changed !== undefined && { files: changed }),
  }
}

export function plus(one: TokenCounts | undefined, other: TokenCounts): TokenCounts {
  return {
    inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
    outputTokens: (one?.outputTokens ?? 0) + other.outputTokens,
    cacheCreationTokens: (one?.cacheCreationTokens ?? 0) + other.cacheCreationTokens,
    cacheReadTokens: (one?.cacheReadTokens ?? 0) + other.cacheReadTokens,
  }
}
