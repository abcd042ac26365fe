import { currentCodon, type View } from 'weave-client'
import { type Pressed, type Scene, type Ui, withNotice } from './ui.ts'

/** What a person may do about a codon that failed, besides doing it again or going back. Pure. */

/** The prompt of the last codon, to be changed. */
export function editPrompt(ui: Ui, { view, now }: Scene): Pressed {
  const refused = (text: string): Pressed => only(withNotice(ui, text, { style: 'warn', now }))
  const running = currentCodon(view)
  if (running) return refused(`${running.codonId} runs: s skips it, f stops it; then e edits its prompt.`)
  const codonId = lastCodonId(view)
  if (codonId === undefined) return refused('No codon has run yet.')
  const { directory, files } = view.prompts
  const own = files[codonId.replace(/#\d+$/, '')]
  if (!own)
    return refused(`The prompt of ${codonId} is in the hank itself: edit hank.json, then a adopts it.`)
  return { ui, effects: [{ kind: 'edit', prompt: { codonId, directory, files: own } }] }
}

/** The screen goes, so that the run can begin again with the edited hank. */
export function adoptHank(ui: Ui, { view, now, ownsRun }: Scene): Pressed {
  const refused = (text: string): Pressed => only(withNotice(ui, text, { style: 'warn', now }))
  if (!ownsRun) return refused('The run belongs to another process: weave stop, then weave --adopt.')
  const running = currentCodon(view)
  if (running) return refused(`${running.codonId} runs: s skips it, f stops it; then a adopts the hank.`)
  return { ui: { ...ui, leaving: true }, effects: [{ kind: 'adopt' }] }
}

function lastCodonId({ machine }: View): string | undefined {
  return (machine.state.runs.at(-1)?.codons.at(-1) ?? machine.settled.at(-1))?.codonId
}

function only(ui: Ui): Pressed {
  return { ui, effects: [] }
}
