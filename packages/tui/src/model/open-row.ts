import { outlineOf, type View } from 'weave-client'
import { asked } from './ask.ts'
import { askRollback } from './questions.ts'
import type { Scene } from './scene.ts'
import { windowOf } from './scroll.ts'
import { noFilter } from './stream-filter.ts'
import { type Ui, withNotice } from './ui.ts'

/** Enter: what that does depends on the panel. */
export function opened(ui: Ui, scene: Scene): Ui {
  const { rows, height, checkpoints, view, now, canSteer } = scene
  const { cursor } = windowOf(rows, ui.places[ui.panel], height)
  const key = cursor === undefined ? undefined : rows.at(cursor)?.key
  if (key === undefined) return ui
  const onto = { ...ui, panel: 'stream', places: { ...ui.places, stream: 'end' } } as const
  switch (ui.panel) {
    case 'stream':
      return { ...ui, turned: toggled(ui.turned, key) }
    case 'plan':
      return { ...onto, filter: { ...noFilter, only: { title: key, codonIds: codonsOf(view, key) } } }
    case 'sentinels':
      return { ...onto, filter: { ...noFilter, name: 'sentinels', sentinelId: key } }
    case 'files':
      return { ...ui, layer: { kind: 'diff', path: key }, places: { ...ui.places, layer: 'start' } }
    case 'checkpoints': {
      const checkpoint = checkpoints.get(key)
      if (!checkpoint) return ui
      if (!canSteer)
        return withNotice(ui, 'This screen only watches (read-only): it cannot go back.', {
          style: 'warn',
          now,
        })
      return asked(ui, askRollback(view, checkpoint, now), scene)
    }
    case 'budgets':
      return ui
  }
}

/** The codon with this id, or all codons of the loop with this id. */
function codonsOf(view: View, id: string): readonly string[] {
  const loop = outlineOf(view).find(item => item.kind === 'loop' && item.loopId === id)
  if (loop?.kind !== 'loop') return [id]
  return loop.codons.map(({ codonId }) => codonId.replace(/#\d+$/, ''))
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(key)) next.add(key)
  return next
}
