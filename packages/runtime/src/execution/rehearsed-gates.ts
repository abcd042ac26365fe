import type { GateBook } from '../gates/index.ts'
import type { Journal } from '../journal/index.ts'
import { createId } from '../kit/index.ts'
import type { ScriptedGates } from '../model-server/index.ts'
import type { Runner } from '../runner/index.ts'

/** In a rehearsal the script answers at gates. Without an answer a person may; a strict rehearsal ends. */
export function answerGates(
  runner: Pick<Runner, 'submit' | 'shutdown'>,
  { journal, book }: { readonly journal: Journal; readonly book: GateBook },
  script: ScriptedGates,
): void {
  const answered = new Map<string, number>()
  for (const { data } of book.decided.values())
    answered.set(data.gateId, (answered.get(data.gateId) ?? 0) + 1)
  const answer = (gateId: string, seq: number): void => {
    const found = script.answerFor(gateId, answered.get(gateId) ?? 0)
    if (found)
      void runner.submit(
        { id: createId('script'), type: 'gate.decide', data: { seq, ...found } },
        { via: 'cli', user: 'the script' },
      )
    else if (script.strict) runner.shutdown(`the script has no answer for gate ${gateId}`)
  }
  journal.subscribe(({ event }) => {
    if (event.type === 'gate.decided')
      answered.set(event.data.gateId, (answered.get(event.data.gateId) ?? 0) + 1)
    if (event.type === 'gate.waiting') answer(event.data.gateId, event.seq)
  })
  // What the last start was asked and did not answer is not asked again.
  if (book.waiting) answer(book.waiting.data.gateId, book.waiting.seq)
}
