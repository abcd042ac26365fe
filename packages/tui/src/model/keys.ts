import { openGate, outlineOf, type View } from 'weave-client'
import type { Key } from '../terminal/keyboard.ts'
import { type Action, type KeyRow, rowFor } from './key-table.ts'
import {
  askForceStop,
  askGate,
  askRedo,
  askRollback,
  askSkip,
  checkpointName,
  gateKey,
  shellLines,
} from './questions.ts'
import { adoptHank, editPrompt, showPrompt } from './repair.ts'
import { type Movement, moved, placeAt, turned, windowOf } from './scroll.ts'
import { nextFilter, noFilter } from './stream-filter.ts'
import { type Pressed, panelNames, type Question, type Scene, type Ui, withNotice } from './ui.ts'

/** What becomes of the screen when a key is pressed. Pure. */
export function pressKey(ui: Ui, key: Key, scene: Scene): Pressed {
  const pressed = outcomeOf(ui, key, scene)
  const isLeft = ui.places.stream === 'end' && pressed.ui.places.stream !== 'end'
  if (!isLeft) return pressed
  return { ...pressed, ui: { ...pressed.ui, leftAt: scene.stream.entries.at(-1)?.id } }
}

function outcomeOf(ui: Ui, key: Key, scene: Scene): Pressed {
  const calm = { ...ui, notice: undefined }
  if (ui.layer?.kind === 'search' && key.name !== 'interrupt') {
    const { text } = ui.layer
    if (key.name !== 'enter' || text === '') return only(typed(calm, text, key))
    return only(matched({ ...calm, layer: undefined }, -1, scene))
  }
  const row = rowFor(key)
  const movement = row && movements.find(each => each === row.action)
  if (movement) return only(scrolled(calm, movement, scene))
  if (ui.layer?.kind === 'question' && key.name !== 'interrupt') return answered(calm, ui.layer.question, key)
  if (!row) return only(calm)
  const isClosing = key.name !== 'interrupt' && closing.includes(row.action)
  if (ui.layer && isClosing) return only({ ...calm, layer: undefined })
  if (row.steers && !scene.canSteer) return only(refused(calm, row, scene))
  return act(calm, { row, key, scene })
}

interface Press {
  readonly row: KeyRow
  readonly key: Key
  readonly scene: Scene
}

function act(ui: Ui, { row, key, scene }: Press): Pressed {
  switch (row.action) {
    case 'quit':
      return ui.leaving
        ? { ui, effects: [{ kind: 'force' }] }
        : { ui: { ...ui, leaving: true }, effects: [{ kind: 'quit' }] }
    case 'redraw':
      return { ui, effects: [{ kind: 'redraw' }] }
    case 'next':
      return {
        ui,
        effects: [
          { kind: 'send', command: { type: 'codon.next', data: {}, says: 'starting the next codon' } },
        ],
      }
    case 'edit':
      return editPrompt(ui, scene)
    case 'adopt':
      return adoptHank(ui, scene)
    case 'prompt':
      return showPrompt(ui, scene)
    case 'panel':
      return only(ontoPanel(ui, Number(key.name === 'character' ? key.character : 1) - 1))
    case 'next-panel':
      return only(ontoPanel(ui, panelNames.indexOf(ui.panel) + 1))
    case 'previous-panel':
      return only(ontoPanel(ui, panelNames.indexOf(ui.panel) - 1))
    default:
      return only(looked(ui, row.action, scene))
  }
}

function looked(ui: Ui, action: Action, scene: Scene): Ui {
  const { filter } = ui
  switch (action) {
    case 'skip':
      return asked(ui, askSkip(scene.view), scene)
    case 'force-stop':
      return asked(ui, askForceStop(scene.view), scene)
    case 'redo':
      return asked(ui, askRedo(scene.view), scene)
    case 'rollback':
      return ui.panel === 'checkpoints' ? opened(ui, scene) : ontoCheckpoints(ui)
    case 'checkpoints':
      return ontoCheckpoints(ui)
    case 'open':
      return opened(ui, scene)
    case 'unfold-all':
      return { ...ui, allUnfolded: !ui.allUnfolded, turned: new Set() }
    case 'search':
      return { ...ui, panel: 'stream', layer: { kind: 'search', text: '' } }
    case 'next-match':
      return matched(ui, 1, scene)
    case 'previous-match':
      return matched(ui, -1, scene)
    case 'only-matches':
      return { ...ui, filter: { ...filter, onlyMatches: !filter.onlyMatches } }
    case 'filter':
      return { ...ui, panel: 'stream', filter: { ...filter, name: nextFilter(filter.name) } }
    case 'back':
      return wentBack(ui)
    case 'costs':
      return { ...ui, costs: !ui.costs }
    case 'help':
      return { ...ui, layer: { kind: 'help' }, places: { ...ui.places, layer: 'start' } }
    default:
      return ui
  }
}

/** One step at a time: to the stream, then without a filter, then to what is new. */
function wentBack(ui: Ui): Ui {
  if (ui.panel !== 'stream') return { ...ui, panel: 'stream' }
  if (ui.filter !== noFilter) return { ...ui, filter: noFilter }
  return { ...ui, places: { ...ui.places, stream: 'end' } }
}

function only(ui: Ui): Pressed {
  return { ui, effects: [] }
}

const movements: readonly Movement[] = ['up', 'down', 'page-up', 'page-down', 'home', 'end']
/** What closes a layer instead of doing what it does otherwise. */
const closing: readonly Action[] = ['back', 'quit', 'help', 'open']

function refused(ui: Ui, row: KeyRow, { now }: Scene): Ui {
  const key = row.keys[0] ?? ''
  return withNotice(ui, `This screen only watches (read-only): ${key} cannot steer the run.`, {
    style: 'warn',
    now,
  })
}

function answered(ui: Ui, question: Question, key: Key): Pressed {
  const said = key.name === 'character' ? key.character : ''
  const answer = question.answers.find(each => each.key === said)
  const isNo = said === 'n' || said === 'q' || key.name === 'escape'
  if (answer) return { ui: { ...ui, layer: undefined }, effects: [{ kind: 'send', command: answer.command }] }
  return only(isNo ? { ...ui, layer: undefined } : ui)
}

function ontoPanel(ui: Ui, index: number): Ui {
  const { length } = panelNames
  const panel = panelNames[(index + length) % length] ?? ui.panel
  return { ...ui, panel, layer: undefined }
}

function ontoCheckpoints(ui: Ui): Ui {
  return { ...ui, panel: 'checkpoints', layer: undefined, places: { ...ui.places, checkpoints: 'start' } }
}

function scrolled(ui: Ui, movement: Movement, { rows, height }: Scene): Ui {
  const { panel, places } = ui
  if (ui.layer)
    return { ...ui, places: { ...places, layer: turned(rows, places.layer, { movement, height }) } }
  const place = moved(rows, places[panel], { movement, height, followsEnd: panel === 'stream' })
  return { ...ui, places: { ...places, [panel]: place } }
}

/** Enter: what that does depends on the panel. */
function opened(ui: Ui, scene: Scene): Ui {
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
        return withText(ui, `Checkpoint ${checkpointName(checkpoint)}`, [
          'This screen only watches (read-only): it cannot go back.',
          '',
          ...shellLines(view, checkpoint),
        ])
      return asked(ui, askRollback(view, checkpoint, now), scene)
    }
    case 'gates': {
      const gate = openGate(view)
      if (!gate || gateKey(gate) !== key) return ui
      if (!canSteer)
        return withNotice(ui, 'This screen only watches (read-only): it cannot decide.', {
          style: 'warn',
          now,
        })
      return asked(ui, askGate(gate), scene)
    }
    case 'budgets':
      return ui
  }
}

function withText(ui: Ui, title: string, lines: readonly string[]): Ui {
  const layer = { kind: 'text', title, text: lines.join('\n') } as const
  return { ...ui, layer, places: { ...ui.places, layer: 'start' } }
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

/** The line in which a search is typed; Enter ends it. */
function typed(ui: Ui, text: string, key: Key): Ui {
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
function matched(ui: Ui, direction: 1 | -1, { rows, height, stream, now }: Scene): Ui {
  const { search } = ui.filter
  if (ui.panel !== 'stream' || search === '')
    return withNotice(ui, 'Nothing is searched for: / begins.', { now })
  const found = stream.matches.map(index => stream.starts[index] ?? 0)
  if (found.length === 0)
    return withNotice(ui, `Nothing in the stream matches ${search}.`, { style: 'warn', now })
  const { cursor = rows.length } = windowOf(rows, ui.places.stream, height)
  const next = direction === 1 ? found.find(row => row > cursor) : found.findLast(row => row < cursor)
  const target = next ?? (direction === 1 ? found[0] : found.at(-1)) ?? 0
  const entry = stream.entries[stream.matches[found.indexOf(target)] ?? -1]
  const hidden = entry && stream.hidesMatch(entry) ? entry.id : undefined
  return {
    ...ui,
    turned: hidden === undefined ? ui.turned : toggled(ui.turned, hidden),
    places: { ...ui.places, stream: placeAt(rows, target, Math.floor(height / 2)) },
  }
}

/** Puts a question in front of the panel; without one there is nothing to cut short. */
function asked(ui: Ui, question: Question | undefined, { now }: Scene): Ui {
  if (!question) return withNotice(ui, 'No codon is running.', { style: 'warn', now })
  return { ...ui, layer: { kind: 'question', question }, places: { ...ui.places, layer: 'start' } }
}
