import {
  type AttemptSpan,
  type EventData,
  isOfCodon,
  type JournaledEvent,
  type SpanList,
  type Transition,
} from '@weave/protocol'
import { isCount } from './counts.ts'
import { historyOf, inStretches } from './histories.ts'
import type { Answered, NamedPlace, Query, Sink } from './job.ts'

type Mutable = SpanList['attempts'][number] & { spans: AttemptSpan[]; leftOut: number }

const wanted: ReadonlySet<string> = new Set([
  'state.transition',
  'tool.result',
  'run.parked',
  'codon.retrying',
  'gate.waiting',
  'gate.decided',
])

/** What each attempt did when. */
export async function spansJob(place: NamedPlace, query: Query, sink: Sink): Promise<Answered> {
  const history = historyOf(place)
  const fold = createSpanFold()
  let lastSeq = 0
  for await (const page of history.pages(inStretches())) {
    await sink.turn()
    for (const stored of page.events) {
      lastSeq = stored.seq
      if (!wanted.has(history.type(stored)) || isCount(stored)) continue
      const event = history.unchecked(stored) ?? (await history.event(stored))
      if (event) fold.add(event)
    }
  }
  const codon = query['codon']
  const attempts = fold.attempts.filter(({ codonId }) => codon === undefined || isOfCodon(codonId, codon))
  const value: SpanList = { attempts, lastSeq }
  return { ok: true, value }
}

const mostSpans = 5_000

/** Pure. Times are those of the events; a span that has not ended has no end. */
function createSpanFold() {
  const attempts: Mutable[] = []
  let runId = ''
  let phase: 'rig' | 'agent' | undefined
  let asked: { readonly at: Mutable; readonly span: number; readonly seq: number } | undefined

  const current = (codonId: string): Mutable | undefined =>
    attempts.findLast(each => each.codonId === codonId)
  const push = (to: Mutable | undefined, span: AttemptSpan): number => {
    if (!to) return -1
    if (to.spans.length < mostSpans) return to.spans.push(span) - 1
    to.leftOut++
    return -1
  }
  const endAt = (of: Mutable | undefined, index: number, time: number): void => {
    const span = of?.spans[index]
    if (of && span && span[1] === null) of.spans[index] = span.with(1, time) as unknown as AttemptSpan
  }
  const endPhase = (of: Mutable | undefined, time: number): void => {
    if (phase !== undefined) endAt(of, of?.spans.findLastIndex(span => span[2] === phase) ?? -1, time)
    phase = undefined
  }
  const beginPhase = (of: Mutable | undefined, kind: 'rig' | 'agent', event: JournaledEvent): void => {
    endPhase(of, Date.parse(event.timestamp))
    phase = kind
    push(of, [Date.parse(event.timestamp), null, kind, event.seq])
  }
  const follow = (event: JournaledEvent<'state.transition'>): void => {
    // The checksum of its line proves that this program wrote it.
    const { type, data } = event.data.transition as unknown as Transition
    const time = Date.parse(event.timestamp)
    if (type === 'RunStarted') runId = data.runId
    if (type === 'CodonStarted') {
      const { codonId, attempt } = data
      attempts.push({ runId, codonId, attempt, spans: [], leftOut: 0 })
      beginPhase(attempts.at(-1), 'rig', event)
    }
    if (type === 'CodonTransitioned') {
      const of = current(data.codonId)
      if (data.to === 'starting') beginPhase(of, 'agent', event)
      else if (data.to === 'completed' || data.to === 'failed' || data.to === 'skipped') endPhase(of, time)
    }
    if (type === 'RunCompleted' || type === 'RunFailed' || type === 'RunCrashed')
      endPhase(attempts.at(-1), time)
  }
  const addTool = ({ data, timestamp, seq }: JournaledEvent<'tool.result'>): void => {
    const { codonId, toolName, executionTimeMs, isError } = data
    const time = Date.parse(timestamp)
    push(current(codonId), [time - executionTimeMs, time, 'tool', seq, toolName, isError])
  }
  const addQuestion = ({ data, timestamp, seq }: JournaledEvent<'gate.waiting'>): void => {
    const at = data.codonId === undefined ? attempts.at(-1) : current(data.codonId)
    if (at) asked = { at, seq, span: push(at, [Date.parse(timestamp), null, 'waiting', seq]) }
  }
  const addAnswer = (data: EventData<'gate.decided'>, time: number): void => {
    if (asked?.seq === data.waitingSeq) endAt(asked.at, asked.span, time)
  }
  return {
    attempts: attempts as readonly Mutable[],
    add(event: JournaledEvent): void {
      const { type, data, seq } = event
      const time = Date.parse(event.timestamp)
      if (type === 'state.transition') follow(event)
      else if (type === 'tool.result') addTool(event)
      else if (type === 'run.parked')
        push(current(data.codonId), [time, Date.parse(data.until), 'parked', seq])
      else if (type === 'codon.retrying')
        push(current(data.codonId), [time, Date.parse(data.resumeAt), 'waiting', seq])
      else if (type === 'gate.waiting') addQuestion(event)
      else if (type === 'gate.decided') addAnswer(data, time)
    },
  }
}
