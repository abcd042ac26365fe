import type { JournaledEvent } from '@weave/protocol'
import { createTimeBook, type TimeNotes } from '../budget/index.ts'
import type { History, Journal, StoredEvent } from '../journal/index.ts'
import type { Plan } from '../plan/index.ts'

/**
 * When the execution was parked or stood still and when its crashed runs were last at work, from the journal that is there and
 * from what it tells from now on. A plan without a limit in time needs none of it, and nothing is read.
 */
export async function openTimes(
  journal: Journal,
  plan: Plan,
  lostDollars?: number,
): Promise<() => TimeNotes> {
  const lost = { ...(lostDollars !== undefined && { lostDollars }) }
  if (!limitsTime(plan)) return () => lost
  const book = createTimeBook()
  for await (const event of eventsThatMatter(journal.history)) book.heard(event)
  journal.subscribe(({ event }) => book.heard(event))
  return () => ({ ...book.notes(), ...lost })
}

/** Each with the event before it, and the last of all, in order. */
async function* eventsThatMatter(history: History): AsyncGenerator<JournaledEvent> {
  let unread: StoredEvent | undefined
  for await (const page of history.pages()) {
    for (const stored of page.events) {
      if (mayMatter(stored)) yield* parsed(history, unread, stored)
      unread = mayMatter(stored) ? undefined : stored
    }
  }
  yield* parsed(history, unread)
}

async function* parsed(
  history: History,
  ...events: readonly (StoredEvent | undefined)[]
): AsyncGenerator<JournaledEvent> {
  for (const stored of events) {
    const event = stored && (await history.event(stored))
    if (event) yield event
  }
}

const marks = ['"type":"run.parked"', '"type":"fleet.waiting"', '"transitionType":"RunCrashed"'].map(mark =>
  Buffer.from(mark),
)
const headBytes = 4096

/** Checked on the bytes, so that little is parsed. Text inside another event can only cost a parse. */
function mayMatter({ rest }: StoredEvent): boolean {
  const head = rest.subarray(0, headBytes)
  return marks.some(mark => head.includes(mark))
}

function limitsTime({ budget, ceilings, items }: Plan): boolean {
  const limits = [
    budget?.maxTimeSeconds,
    ceilings?.maxTimeSeconds,
    ...items.flatMap(item => [
      item.budget?.maxTimeSeconds,
      ...(item.kind === 'loop' ? item.codons.map(codon => codon.budget?.maxTimeSeconds) : []),
    ]),
  ]
  return limits.some(limit => limit !== undefined)
}
