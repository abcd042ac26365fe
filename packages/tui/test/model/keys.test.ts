import { describe, expect, it, test } from 'vitest'
import { type Checkpoint, emptyView, type StreamEntry, type View } from 'weave-client'
import { pressKey } from '../../src/model/keys.ts'
import { rowsOf } from '../../src/model/rows.ts'
import { matches, noFilter } from '../../src/model/stream-filter.ts'
import { type Effect, initialUi, type Question, type Scene, type Ui } from '../../src/model/ui.ts'
import type { Key, KeyName } from '../../src/terminal/keyboard.ts'
import { line } from '../../src/terminal/line.ts'

const start = initialUi({ costs: false })
const rows = rowsOf(['a', 'b', 'c'].map(key => ({ key, part: 0, line: line(key) })))
const checkpoint: Checkpoint = {
  sha: '0123456789abcdef',
  runId: 'r1',
  codonId: 'draft',
  type: 'completed',
  time: '2026-01-01T00:00:00.000Z',
}
const entry = (id: string, text: string): StreamEntry => ({
  id,
  time: '2026-01-01T00:00:00.000Z',
  kind: 'message',
  text,
  cut: false,
})
const scene: Scene = {
  view: emptyView,
  rows,
  height: 3,
  stream: {
    entries: [entry('a', 'one'), entry('b', 'two'), entry('c', 'One')],
    starts: [0, 1, 2],
    matches: [0, 1, 2],
    hidesMatch: () => false,
  },
  checkpoints: new Map([['a', checkpoint]]),
  canSteer: true,
  ownsRun: true,
  now: Date.parse(checkpoint.time),
}
/** A character, or the name of a key. */
const keyOf = (text: string): Key =>
  text.length === 1 ? { name: 'character', character: text } : { name: text as KeyName }
const press = (text: string, ui: Partial<Ui> = {}, seen: Partial<Scene> = {}) =>
  pressKey({ ...start, ...ui }, keyOf(text), { ...scene, ...seen })
const question: Question = {
  title: 'Sure?',
  lines: [],
  answers: [{ key: 'y', does: 'it', command: { type: 'codon.redo', data: {}, says: 'starting again' } }],
}
const asking = { layer: { kind: 'question', question } } as const
const waiting: View = { ...emptyView, waiting: { codonId: 'draft' } as NonNullable<View['waiting']> }

describe('a key changes what is seen', () => {
  const cases: readonly (readonly [key: string, before: Partial<Ui>, after: Partial<Ui>])[] = [
    ['tab', {}, { panel: 'plan' }],
    ['back-tab', {}, { panel: 'gates' }],
    ['tab', { panel: 'checkpoints' }, { panel: 'gates' }],
    ['tab', { panel: 'gates' }, { panel: 'stream' }],
    ['3', {}, { panel: 'files' }],
    ['6', { panel: 'files' }, { panel: 'checkpoints' }],
    ['l', {}, { panel: 'checkpoints' }],
    ['b', {}, { panel: 'checkpoints' }],
    ['c', {}, { costs: true }],
    ['c', { costs: true }, { costs: false }],
    ['x', { turned: new Set(['a']) }, { allUnfolded: true, turned: new Set() }],
    ['t', { panel: 'plan' }, { panel: 'stream', filter: { ...noFilter, name: 'agent' } }],
    ['t', { filter: { ...noFilter, name: 'sentinels' } }, { filter: noFilter }],
    ['m', {}, { filter: { ...noFilter, onlyMatches: true } }],
    ['/', { panel: 'files' }, { panel: 'stream', layer: { kind: 'search', text: '' } }],
    ['?', {}, { layer: { kind: 'help' } }],
    ['?', { layer: { kind: 'help' } }, { layer: undefined }],
    ['q', { layer: { kind: 'help' } }, { layer: undefined, leaving: false }],
    ['escape', { layer: { kind: 'diff', path: 'a' } }, { layer: undefined }],
    ['escape', { panel: 'plan' }, { panel: 'stream' }],
    ['escape', { filter: { ...noFilter, name: 'tools' } }, { filter: noFilter }],
    ['escape', { places: { ...start.places, stream: 'start' } }, { places: start.places }],
  ]
  it.each(cases)('%s on %o', (key, before, after) => {
    const { ui, effects } = press(key, before)
    expect(ui).toMatchObject(after)
    expect(effects).toEqual([])
  })
})

describe('enter opens the row under the cursor', () => {
  const atStart = { places: { ...start.places, stream: 'start' } } as const
  const cases: readonly (readonly [before: Partial<Ui>, after: Partial<Ui>])[] = [
    [atStart, { turned: new Set(['a']) }],
    [{ ...atStart, turned: new Set(['a']) }, { turned: new Set() }],
    [{ panel: 'plan' }, { panel: 'stream', filter: { ...noFilter, only: { title: 'a', codonIds: ['a'] } } }],
    [
      { panel: 'sentinels' },
      { panel: 'stream', filter: { ...noFilter, name: 'sentinels', sentinelId: 'a' } },
    ],
    [{ panel: 'files' }, { layer: { kind: 'diff', path: 'a' } }],
    [{ panel: 'budgets' }, { panel: 'budgets', layer: undefined }],
  ]
  it.each(cases)('%o', (before, after) => {
    expect(press('enter', before).ui).toMatchObject(after)
  })

  it('nothing, while the end is followed', () => {
    expect(press('enter').ui).toEqual(start)
  })

  it('asks before it goes back to a checkpoint, and a screen that only watches does not', () => {
    const panel = { panel: 'checkpoints' } as const
    expect(press('enter', panel).ui.layer).toMatchObject({
      kind: 'question',
      question: { title: 'Go back to draft (completed)?' },
    })
    const watching = press('enter', panel, { canSteer: false }).ui
    expect(watching.layer).toMatchObject({ kind: 'text', text: expect.stringContaining('read-only') })
  })
})

describe('a key asks for something', () => {
  const quit: Effect = { kind: 'quit' }
  const cases: readonly (readonly [key: string, before: Partial<Ui>, effects: readonly Effect[]])[] = [
    ['q', {}, [quit]],
    ['interrupt', {}, [quit]],
    ['interrupt', asking, [quit]],
    ['interrupt', { layer: { kind: 'search', text: 'x' } }, [quit]],
    ['q', { leaving: true }, [{ kind: 'force' }]],
    ['redraw', {}, [{ kind: 'redraw' }]],
    ['n', {}, [{ kind: 'send', command: { type: 'codon.next', data: {}, says: 'starting the next codon' } }]],
    ['y', asking, [{ kind: 'send', command: { type: 'codon.redo', data: {}, says: 'starting again' } }]],
    ['n', asking, []],
    ['z', asking, []],
    ['z', {}, []],
  ]
  it.each(cases)('%s on %o', (key, before, effects) => {
    expect(press(key, before).effects).toEqual(effects)
  })
})

describe('steering', () => {
  it.each(['n', 's', 'f', 'r', 'b'])('%s does nothing on a screen that only watches', key => {
    const { ui, effects } = press(key, {}, { canSteer: false })
    expect(effects).toEqual([])
    expect(ui.layer).toBeUndefined()
    expect(ui.notice?.text).toBe(`This screen only watches (read-only): ${key} cannot steer the run.`)
  })

  it.each([
    ['s', 'Skip draft?'],
    ['f', 'Stop draft at once?'],
    ['r', 'Do the last codon again?'],
  ])('%s asks first', (key, title) => {
    const { ui, effects } = press(key, {}, { view: waiting })
    expect(ui.layer).toMatchObject({ kind: 'question', question: { title } })
    expect(effects).toEqual([])
  })

  it.each(['s', 'f'])('%s finds nothing to stop while no codon runs', key => {
    expect(press(key).ui.notice?.text).toBe('No codon is running.')
  })

  it('a question goes with every answer, and stays for any other key', () => {
    for (const key of ['y', 'n', 'q', 'escape']) expect(press(key, asking).ui.layer).toBeUndefined()
    for (const key of ['z', 'tab', 'enter']) expect(press(key, asking).ui.layer).toEqual(asking.layer)
  })
})

describe('the search', () => {
  const typing = (text: string) => ({ layer: { kind: 'search', text } }) as const
  it.each([
    ['x', 'ab', 'abx'],
    ['q', 'ab', 'abq'],
    ['backspace', 'ab', 'a'],
    ['backspace', 'a🙂', 'a'],
    ['backspace', '', ''],
    ['tab', 'ab', 'ab'],
  ])('%s after "%s"', (key, before, text) => {
    expect(press(key, typing(before)).ui.layer).toEqual({ kind: 'search', text })
  })

  it('takes a paste as one line', () => {
    const { ui } = pressKey({ ...start, ...typing('a') }, { name: 'paste', text: 'b\n  c' }, scene)
    expect(ui.filter.search).toBe('ab c')
  })

  it('ends with Escape as if there had been none', () => {
    const filter = { ...noFilter, search: 'ab', onlyMatches: true }
    expect(press('escape', { ...typing('ab'), filter }).ui).toMatchObject({
      layer: undefined,
      filter: { search: '', onlyMatches: false },
    })
  })

  const matching = (search: string): Scene['stream'] => ({
    ...scene.stream,
    matches: scene.stream.entries.flatMap(({ text }, index) => (matches(text, search) ? [index] : [])),
  })
  const cursorAfter = (search: string, ...keys: readonly string[]): unknown =>
    keys.reduce((ui, key) => pressKey(ui, keyOf(key), { ...scene, stream: matching(search) }).ui, {
      ...start,
      filter: { ...noFilter, search },
    }).places.stream

  test.each([
    ['one', ['['], 'c'],
    ['one', ['[', '['], 'a'],
    ['one', ['[', '[', '['], 'c'],
    ['one', ['['], 'c'],
    ['One', ['[', ']'], 'c'],
    ['two', [']'], 'b'],
  ] as const)('%s with %o stands on %s', (search, keys, key) => {
    expect(cursorAfter(search, ...keys)).toMatchObject({ key })
  })

  it('unfolds what shows a match only when it is unfolded', () => {
    const stream = { ...matching('two'), hidesMatch: () => true }
    const { ui } = press(']', { filter: { ...noFilter, search: 'two' } }, { stream })
    expect([...ui.turned]).toEqual(['b'])
  })

  it('says when nothing matches and when nothing is searched for', () => {
    const filter = { ...noFilter, search: 'zzz' }
    expect(press(']', { filter }, { stream: matching('zzz') }).ui.notice?.text).toBe(
      'Nothing in the stream matches zzz.',
    )
    expect(press(']').ui.notice?.text).toBe('Nothing is searched for: / begins.')
  })
})
