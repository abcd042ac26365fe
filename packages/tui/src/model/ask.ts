import type { Scene } from './scene.ts'
import { type Question, type Ui, withNotice } from './ui.ts'

/** Puts a question in front of the panel; without one there is nothing to cut short. */
export function asked(ui: Ui, question: Question | undefined, { now }: Scene): Ui {
  if (!question) return withNotice(ui, 'No codon is running.', { style: 'warn', now })
  return { ...ui, layer: { kind: 'question', question }, places: { ...ui.places, layer: 'start' } }
}
