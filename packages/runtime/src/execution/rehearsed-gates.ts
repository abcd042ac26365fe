import type { GateBook } from '../gates/index.ts'
import type { Journal } from '../journal/index.ts'
import { createId } from '../kit/index.ts'
import type { ScriptedGates } from '../model-server/index.ts'
import type { Runner } from '../runner/index.ts'

/**
 * In a rehearsal the script answers at gates. Without an answer a person may; a strict rehearsal ends. Listens from now on,
 * since a gate before the first codon asks as soon as the runner is there; returns whom to give the runner to.
 */
export function answerGates(
  { journal, book }: { readonly journal: Journal; readonly book: GateBook },
  script: ScriptedGates,
): (runner: Pick<Runner, 'submit' | 'shutdown'>) => void {
  const answered = new Map<string, number>()
  for (const { data } of book.decided.values())
    answered.set(data.gateId, (answered.get(data.gateId) ?? 0) + 1)
  let begin: (runner: Pick<Runner, 'submit' | 'shutdown'>) => void = () => undefined
  const begun = new Promise<Pick<Runner, 'submit' | 'shutdown'>>(resolve => {
    begin = resolve
  })
  const answer = async (gateId: string, seq: number): Promise<void> => {
    const runner = await begun
    const found = script.answerFor(gateId, answered.get(gateId) ?? 0)
    if (found)
      await runner.submit(
        { id: createId('script'), type: 'gate.decide', data: { seq, ...found } },
        { via: 'cli', user: 'the script' },
      )
    else if (script.strict) runner.shutdown(`the script has no answer for gate ${gateId}`)
  }
  journal.subscribe(({ event }) => {
    if (event.type === 'gate.decided')
      answered.set(event.data.gateId, (answered.get(event.data.gateId) ?? 0) + 1)
    if (event.type === 'gate.waiting') void answer(event.data.gateId, event.seq)
  })
  // What the last start was asked and did not answer is not asked again.
  if (book.waiting) void answer(book.waiting.data.gateId, book.waiting.seq)
  return begin
}
