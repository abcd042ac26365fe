import type { Key } from '../terminal/keyboard.ts'
import type { Scene } from './scene.ts'
import { placeAt, windowOf } from './scroll.ts'
import { matches } from './stream-filter.ts'
import { type Ui, withNotice } from './ui.ts'

/** The line in which a search is typed; Enter ends it. */
export function typed(ui: Ui, text: string, key: Key): Ui {
  const searching = (next: string): Ui => ({
    ...ui,
    layer: { kind: 'search', text: next },
    filter: { ...ui.filter, search: next },
  })
  switch (key.name) {
    case 'character':
      return searching(text + key.character)
    case 'paste':
      return searching(text + key.text.replace(/\s+/g, ' ').slice(0, longestSearch))
    case 'backspace':
      return searching([...text].slice(0, -1).join(''))
    case 'escape':
      return { ...ui, layer: undefined, filter: { ...ui.filter, search: '', onlyMatches: false } }
    case 'enter':
      return { ...ui, layer: undefined }
    default:
      return ui
  }
}

const longestSearch = 200

/** The next entry that matches, below or above; round at the ends. */
export function matched(ui: Ui, direction: 1 | -1, { rows, height, stream, now }: Scene): Ui {
  const { search } = ui.filter
  if (ui.panel !== 'stream' || search === '')
    return withNotice(ui, 'Nothing is searched for: / begins.', { now })
  const found = stream.entries.flatMap((entry, index) =>
    matches(entry, search) ? [stream.starts[index] ?? 0] : [],
  )
  if (found.length === 0)
    return withNotice(ui, `Nothing in the stream matches ${search}.`, { style: 'warn', now })
  const { cursor = rows.length } = windowOf(rows, ui.places.stream, height)
  const next = direction === 1 ? found.find(row => row > cursor) : found.findLast(row => row < cursor)
  const target = next ?? (direction === 1 ? found[0] : found.at(-1)) ?? 0
  return { ...ui, places: { ...ui.places, stream: placeAt(rows, target, Math.floor(height / 2)) } }
}
