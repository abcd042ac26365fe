import type { BorderPorts, Moment, PutOnRecord, Step } from '@weave/runtime'
import type {
  FromTurn,
  RequestFacts,
  RequestOutcome,
  RequestWord,
  ToTurn,
  TurnEnd,
  TurnJob,
  TurnStep,
  TurnWord,
} from 'weave-fleet'
import { exitCodes } from '../program.ts'
import { costsIn } from './turn-costs.ts'

type Stop = (reason: string) => void

/** What the worker says, and what is said to it. When it is gone, so is the right to go on. */
export function openChannel() {
  const answers = new Map<number, (word: never) => void>()
  let next = 1
  let stop: Stop | undefined
  let extend: ((until: Moment) => void) | undefined
  let stopped: string | undefined
  const record = lateRecord()
  let take: (job: TurnJob) => void = () => undefined
  const job = new Promise<TurnJob>(resolve => {
    take = resolve
  })
  const onGone = (): void => process.exit(exitCodes.terminated)
  process.on('disconnect', onGone)
  process.on('message', (message: ToTurn) => {
    if (message.type === 'job') take(message.job)
    if (message.type === 'fresh') extend?.(message.until)
    if (message.type === 'waiting') record.put('fleet.waiting', { for: message.for })
    if (message.type === 'stop') {
      stopped ??= message.reason
      stop?.(stopped)
    }
    if (message.type === 'word' || message.type === 'request-word') {
      answers.get(message.id)?.(message.word as never)
      answers.delete(message.id)
    }
  })
  void send({ type: 'ready' })
  /** Asks, and hears the answer; when the signal aborts first, `otherwise`. */
  const ask = <Word>(message: (id: number) => FromTurn, signal: AbortSignal, otherwise: Word) => {
    const id = next++
    const word = new Promise<Word>(resolve => {
      answers.set(id, resolve)
      signal.addEventListener('abort', () => {
        if (answers.delete(id)) void send({ type: 'forget', id })
        resolve(otherwise)
      })
      void send(message(id))
    })
    return { id, word }
  }
  return {
    job,
    borderOf: (given: TurnJob): BorderPorts =>
      borderOf(
        given,
        (type, step, signal) => ask<TurnWord>(id => ({ type, id, step }), signal, go).word,
        record,
      ),
    /** Its agents stand still, or go on. */
    stands: (isStanding: boolean): void => noteStanding(record, isStanding),
    /** Whether a request may go out. Its number is that of its end. */
    request: (facts: RequestFacts, signal: AbortSignal) =>
      ask<RequestWord>(id => ({ type: 'request', id, facts }), signal, gone),
    answered(id: number, outcome: RequestOutcome): void {
      void send({ type: 'answered', id, outcome })
    },
    /** Called whenever the run may act for longer. */
    onFresh(later: (until: Moment) => void): void {
      extend = later
    },
    /** Called once when the worker wants the run to end, also when it said so before. */
    onStop(end: Stop): void {
      stop = end
      if (stopped !== undefined) end(stopped)
    },
    async ended(end: TurnEnd): Promise<void> {
      process.off('disconnect', onGone)
      await send({ type: 'ended', end })
      process.disconnect?.()
    },
  }
}

/** To the worker, if it is still there. */
function send(message: FromTurn): Promise<void> {
  return new Promise(resolve => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

/** Where something is put on record, once there is a record. */
interface LateRecord {
  readonly put: PutOnRecord
  readonly is: (given: PutOnRecord) => void
}

function lateRecord(): LateRecord {
  let real: PutOnRecord = () => undefined
  return {
    put: (type, data) => real(type, data),
    is(given) {
      real = given
    },
  }
}

function noteStanding({ put }: LateRecord, isStanding: boolean): void {
  try {
    put('fleet.waiting', { for: 'engine', ...(!isStanding && { until: new Date().toISOString() }) })
  } catch {
    // The record is closed: the run is over.
  }
}

const go = { kind: 'go' } as const

type AtBorder = (type: 'admission' | 'hand-over', step: TurnStep, signal: AbortSignal) => Promise<TurnWord>

/** Asks at every border between codons, and puts on record what is to be there. */
function borderOf({ turn, execution }: TurnJob, asked: AtBorder, { put, is }: LateRecord): BorderPorts {
  const { lostDollars } = turn
  return {
    opened(given) {
      is(given)
      put('fleet.turn', turn)
    },
    ...(lostDollars !== undefined && { lostDollars }),
    admission: (step, signal) => asked('admission', { ...placeOf(step), costs: [] }, signal),
    async handOver(step, signal) {
      const costs = await costsIn(execution)
      const word = await asked('hand-over', { ...placeOf(step), costs }, signal)
      if (word.published) notePublished(put, word.published)
      else if (word.kind === 'leave') put('fleet.lost', { why: word.reason })
      return word
    },
  }
}

function notePublished(put: PutOnRecord, { left, ...head }: NonNullable<TurnWord['published']>): void {
  put('fleet.published', head)
  if (left) put('fleet.rest', { left: [...left] })
}

function placeOf({ codonId, attempt, model, hasFailed }: Step): Omit<TurnStep, 'costs'> {
  return { codonId, attempt, provider: model.provider, model: model.id, hasFailed }
}

const gone = { kind: 'refuse', status: 499, message: 'The caller left.' } as const

export type TurnChannel = ReturnType<typeof openChannel>
