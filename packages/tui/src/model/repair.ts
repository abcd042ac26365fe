import { currentCodon, type View } from 'weave-client'
import { windowOf } from './scroll.ts'
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

/** What was sent to the codon at the cursor; where none is there, to the last one. */
export function showPrompt(ui: Ui, scene: Scene): Pressed {
  const { view, now } = scene
  const codonId = codonAtCursor(ui, scene) ?? lastCodonId(view)
  const executionPath = view.server?.executionPath
  if (codonId === undefined || executionPath === undefined)
    return only(withNotice(ui, 'No codon has run yet.', { style: 'warn', now }))
  return { ui, effects: [{ kind: 'prompt', of: { executionPath, codonId } }] }
}

function codonAtCursor(ui: Ui, { rows, height, stream, view }: Scene): string | undefined {
  const { cursor } = windowOf(rows, ui.places[ui.panel], height)
  const key = cursor === undefined ? undefined : rows.at(cursor)?.key
  if (ui.panel === 'plan') return ranLast(view, key)
  if (ui.panel !== 'stream') return undefined
  const at = stream.entries.findIndex(({ id }) => id === key)
  return stream.entries.slice(0, at + 1).findLast(entry => entry.codonId !== undefined)?.codonId
}

/** The plan names a codon of a loop once; what ran last of it has the number of its iteration. */
function ranLast({ machine }: View, id: string | undefined): string | undefined {
  const all = [...machine.settled, ...machine.state.runs.flatMap(({ codons }) => codons)]
  return all.findLast(({ codonId }) => codonId.replace(/#\d+$/, '') === id)?.codonId
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
