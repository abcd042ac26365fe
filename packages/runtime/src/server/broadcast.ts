import { type EventType, events, type JournaledEvent } from '@weave/protocol'
import type { Journal, Listener } from '../journal/index.ts'
import { systemClock } from '../kit/index.ts'
import { type Frames, textFrames } from './frames.ts'
import type { Selection } from './selection.ts'

/** Whether an event is not sent to clients when it happens; they find it in the history. Must not throw. */
export type Hides = (event: JournaledEvent) => boolean

/** Who hears the journal. */
export interface Member {
  readonly wantsExtensions: boolean
  /** Gets what happens within a moment as one frame with a list. */
  readonly wantsBatches: boolean
  /** What it is sent of all that; absent: everything. */
  selection?: Selection | undefined
  send(frames: Frames): void
}

/** Characters that share one buffer: few enough that a queue is filled in small pieces. */
const charactersPerChunk = 256 * 1024
/** A page draws ten times a second; whatever comes between two pictures only wakes a browser. */
const batchMs = 100
/** Of more events nobody reads each as it comes, and a browser that wakes takes a core that the run wants: half as many batches. */
const manyEvents = 50
/** To send to so many takes about a quarter of a millisecond, here and for those who receive; then all rest for three quarters. */
const membersPerMs = 40
const longestRestMs = 20

export type Broadcast = ReturnType<typeof createBroadcast>

/**
 * From the journal to everyone who listens. Throws `JournalFailure`: a journal that cannot be written has nothing to emit.
 *
 * - **B1** The events of a tick are framed once, into bytes that all members share, and written once to each.
 * - **B2** Members get events in the order of their `seq`. Who joins gets everything after `lastSeq`, and nothing else.
 * - **B3** Who wants batches gets the events of `batchMs` in one frame, made once for all of them; of twice as long after one with
 *   more than `manyEvents`.
 * - **B4** What is sent to a member beside the journal goes out after all that was emitted before: `settle` first.
 * - **B5** After a send to many there is a rest, and what is emitted meanwhile goes out together: a hundred clients that got each of
 *   a thousand events a second by itself would take two cores.
 * - **B6** Who selected events gets those in frames of its own.
 */
export function createBroadcast(journal: Pick<Journal, 'flush' | 'subscribe' | 'lastSeq'>, hides?: Hides) {
  const members = new Set<Member>()
  let emitted: Emitted[] = []
  const rest = createRest()
  /** Members that want batches. */
  let batched = 0
  let lastSeq = 0

  const send = (batch: readonly Emitted[], asBatch: boolean): void =>
    rest.begin(sendTo(members, batch, asBatch))
  const batches = createBatches(batch => send(batch, true))
  const settleTick = (): void => {
    rest.end()
    if (emitted.length === 0) return
    const batch = emitted
    emitted = []
    send(batch, false)
    if (batched > 0) batches.add(batch)
  }
  /** Sends now what was emitted until now. */
  const settle = (): void => {
    settleTick()
    batches.settle()
  }
  const hear: Listener = ({ event, text }) => {
    const { seq, type } = event
    lastSeq = seq
    if (members.size === 0 || hides?.(event)) return
    if (emitted.length === 0) rest.after(settleTick)
    emitted.push({ event, text, isExtension: isExtension(type) })
  }
  // What was appended before is emitted before this listener hears anything, so that the count starts exactly there.
  journal.flush()
  lastSeq = journal.lastSeq
  const unsubscribe = journal.subscribe(hear)

  return {
    /** The `seq` of the last event that was emitted. After `settle`: of the last one that was sent. */
    get lastSeq() {
      return lastSeq
    },
    get size() {
      return members.size
    },
    members,
    settle,
    join(member: Member): void {
      settle()
      members.add(member)
      if (member.wantsBatches) batched++
    },
    leave(member: Member): void {
      if (members.delete(member) && member.wantsBatches) batched--
    },
    /** Settles, then hears nothing more. */
    close(): void {
      settle()
      unsubscribe()
    },
  }
}

/** Returns to how many. */
function sendTo(members: ReadonlySet<Member>, batch: readonly Emitted[], asBatch: boolean): number {
  const frame = asBatch ? listFrame : textFrames
  const chunks = createChunks(batch, frame)
  let sentTo = 0
  for (const member of members) {
    if (member.wantsBatches !== asBatch) continue
    sentTo++
    const own = member.selection && framesOf(member.selection(batch), frame)
    for (const chunk of own ?? chunks(member.wantsExtensions)) member.send(chunk)
  }
  return sentTo
}

/** What waits for those who want many events at a time. */
function createBatches(send: (batch: readonly Emitted[]) => void) {
  let gathered: Emitted[] = []
  let timer: NodeJS.Timeout | undefined
  let waitMs = batchMs
  const settle = (): void => {
    clearTimeout(timer)
    timer = undefined
    const batch = gathered
    gathered = []
    waitMs = batch.length > manyEvents ? 2 * batchMs : batchMs
    if (batch.length > 0) send(batch)
  }
  return {
    settle,
    add(batch: readonly Emitted[]): void {
      gathered.push(...batch)
      timer ??= setTimeout(settle, waitMs)
    },
  }
}

/** After a send to many nobody is sent anything for a moment. */
function createRest() {
  let until = 0
  let timer: NodeJS.Timeout | undefined
  return {
    begin(members: number): void {
      if (members < membersPerMs) return
      until = systemClock.monotonic() + Math.min(members / membersPerMs, longestRestMs)
    },
    /** Calls it at the end of this tick, or of the rest. */
    after(settle: () => void): void {
      const left = until === 0 ? 0 : until - systemClock.monotonic()
      if (left <= 0) process.nextTick(settle)
      else timer = setTimeout(settle, left)
    },
    end: (): void => clearTimeout(timer),
  }
}

interface Emitted {
  readonly event: JournaledEvent
  readonly text: string
  readonly isExtension: boolean
}

function isExtension(type: EventType): boolean {
  return events[type].category === 'extension'
}

type FrameTexts = (texts: readonly string[]) => Buffer

/** One frame with a list of all of them. */
const listFrame: FrameTexts = texts => textFrames([`[${texts.join(',')}]`])

/** The frames of a batch with and without extension events, each made when first asked for. */
function createChunks(
  batch: readonly Emitted[],
  frame: FrameTexts,
): (wantsExtensions: boolean) => readonly Frames[] {
  const isMixed = batch.some(event => event.isExtension)
  let all: readonly Frames[] | undefined
  let plain: readonly Frames[] | undefined
  return wantsExtensions => {
    if (wantsExtensions || !isMixed) {
      all ??= framesOf(batch, frame)
      return all
    }
    plain ??= framesOf(
      batch.filter(event => !event.isExtension),
      frame,
    )
    return plain
  }
}

function framesOf(batch: readonly Emitted[], frame: FrameTexts): readonly Frames[] {
  const chunks: Frames[] = []
  let texts: string[] = []
  let characters = 0
  for (const { text } of batch) {
    texts.push(text)
    characters += text.length
    if (characters < charactersPerChunk) continue
    chunks.push([frame(texts)])
    texts = []
    characters = 0
  }
  if (texts.length > 0) chunks.push([frame(texts)])
  return chunks
}
