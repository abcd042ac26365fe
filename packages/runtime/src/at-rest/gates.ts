import type { EventData } from '@weave/protocol'
import { createGateEffects, frozenPlan, ownName, readGateBook } from '../execution/index.ts'
import type { GateBook, Waiting } from '../gates/index.ts'
import { createHistory } from '../journal/index.ts'
import type { Failure, Result } from '../kit/index.ts'
import { createRunEvents, GateDesk } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { openPlace, type PlaceOptions, type StoppedPlace } from './open.ts'

export type GateQuestion = Waiting

/** What an execution, live or at rest, knows of its gates. Changes nothing. */
export function readGates({ journal }: ExecutionLayout): Promise<GateBook> {
  return readGateBook(createHistory({ dir: journal }))
}

/** The gate at which an execution waits. One that was begun without gates is not searched for a hold: a list is quick. */
export async function waitingGate({ journal }: ExecutionLayout): Promise<string | undefined> {
  const history = createHistory({ dir: journal })
  const plan = await frozenPlan(history).catch(() => undefined)
  return plan?.gates && (await readGateBook(history)).waiting?.data.gateId
}

export interface GateAnswer {
  readonly seq: number
  readonly decision: 'approve' | 'reject'
  readonly note?: string | undefined
}

export type AnswerTaken = Result<{ readonly decided: EventData<'gate.decided'> }, Failure>

/** Decides on a gate of an execution in which nothing runs; the next start goes on from there. Never rejects. */
export async function answerAtRest(options: PlaceOptions, answer: GateAnswer): Promise<AnswerTaken> {
  const opened = await openPlace(options)
  if (!opened.ok) return opened
  try {
    return await takeAnswer(opened.place, answer)
  } finally {
    await opened.close()
  }
}

async function takeAnswer(place: StoppedPlace, { note, ...answer }: GateAnswer): Promise<AnswerTaken> {
  const writing = await place.write()
  if (!writing.ok) return writing
  const { rest } = writing
  const { layout, store, effects, planRestore } = place
  const gateEffects = createGateEffects({
    layout,
    store,
    rollback: effects.rollback,
    recovering: { planRestore },
    assertHeld: () => undefined,
  })
  const book = await readGateBook(rest.journal.history)
  const late: number[] = []
  const desk = new GateDesk({
    ...rest,
    events: createRunEvents(rest),
    gates: { book, effects: gateEffects },
    onExpired: seq => void late.push(seq),
  })
  const user = ownName()
  const by = { via: 'cli', ...(user !== undefined && { user }) } as const
  let decided: EventData<'gate.decided'> | undefined
  rest.journal.subscribe(({ event }) => {
    if (event.type === 'gate.decided') decided = event.data
  })
  const taken = await desk.decide({ ...answer, ...(note !== undefined && { note }) }, { by })
  for (const seq of late) desk.expire(seq)
  desk.close()
  if (taken.ok && decided) return { ok: true, decided }
  const message = taken.ok || taken.refusal.ok ? 'Nothing was written.' : taken.refusal.message
  return { ok: false, message, cure: 'weave gate list shows what waits.' }
}
