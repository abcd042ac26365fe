import type { Key, KeyName } from '../terminal/keyboard.ts'
import type { Movement } from './scroll.ts'

/** What a key does. */
export type Action =
  | Movement
  | 'next'
  | 'skip'
  | 'force-stop'
  | 'redo'
  | 'rollback'
  | 'edit'
  | 'adopt'
  | 'prompt'
  | 'checkpoints'
  | 'open'
  | 'unfold-all'
  | 'search'
  | 'next-match'
  | 'previous-match'
  | 'only-matches'
  | 'filter'
  | 'back'
  | 'next-panel'
  | 'previous-panel'
  | 'panel'
  | 'costs'
  | 'help'
  | 'redraw'
  | 'quit'

export interface KeyRow {
  /** A character, or the name of a key. */
  readonly keys: readonly (KeyName | (string & Record<never, never>))[]
  readonly action: Action
  readonly does: string
  readonly group: KeyGroup
  /** Changes the run: not for a screen that only watches. */
  readonly steers?: true
}

export type KeyGroup = 'The run' | 'Looking around' | 'Moving' | 'Leaving'

/** TABLE of the keys. What a press does, the help on the screen and the list in `docs/terminal.md` are made from it. */
export const keyTable: readonly KeyRow[] = [
  { keys: ['n'], action: 'next', group: 'The run', steers: true, does: 'start the next codon' },
  {
    keys: ['s'],
    action: 'skip',
    group: 'The run',
    steers: true,
    does: 'skip the codon that runs; asks first',
  },
  {
    keys: ['f'],
    action: 'force-stop',
    group: 'The run',
    steers: true,
    does: 'stop the codon that runs at once; asks first',
  },
  {
    keys: ['r'],
    action: 'redo',
    group: 'The run',
    steers: true,
    does: 'do the last codon again, from the workspace as it was before; asks first',
  },
  {
    keys: ['b'],
    action: 'rollback',
    group: 'The run',
    steers: true,
    does: 'go back to a checkpoint: shows them, and on one of them what would be undone',
  },
  {
    keys: ['e'],
    action: 'edit',
    group: 'The run',
    steers: true,
    does: 'edit the prompt of the last codon in $VISUAL or $EDITOR, then do the codon again if the prompt has changed',
  },
  {
    keys: ['a'],
    action: 'adopt',
    group: 'The run',
    steers: true,
    does: 'adopt the edited hank: shows what is different, asks, and goes on with it',
  },
  {
    keys: ['p'],
    action: 'prompt',
    group: 'Looking around',
    does: 'the prompt as it was sent: of the codon at the cursor, or of the last one',
  },
  { keys: ['l'], action: 'checkpoints', group: 'Looking around', does: 'list the checkpoints' },
  { keys: ['tab'], action: 'next-panel', group: 'Looking around', does: 'next panel' },
  { keys: ['back-tab'], action: 'previous-panel', group: 'Looking around', does: 'previous panel' },
  { keys: ['1', '2', '3', '4', '5', '6', '7'], action: 'panel', group: 'Looking around', does: 'that panel' },
  {
    keys: ['enter'],
    action: 'open',
    group: 'Looking around',
    does: 'stream: unfold or fold; plan, sentinels: only its part of the stream; files: what changed; checkpoints: go back; gates: decide',
  },
  {
    keys: ['x'],
    action: 'unfold-all',
    group: 'Looking around',
    does: 'unfold or fold everything in the stream',
  },
  {
    keys: ['t'],
    action: 'filter',
    group: 'Looking around',
    does: 'stream: all, agent, tools, problems, sentinels',
  },
  {
    keys: ['/'],
    action: 'search',
    group: 'Looking around',
    does: 'search the stream; capitals count if there are any',
  },
  { keys: [']'], action: 'next-match', group: 'Looking around', does: 'next match' },
  { keys: ['['], action: 'previous-match', group: 'Looking around', does: 'previous match' },
  {
    keys: ['m'],
    action: 'only-matches',
    group: 'Looking around',
    does: 'show only what matches, or everything',
  },
  { keys: ['c'], action: 'costs', group: 'Looking around', does: 'show or hide costs and tokens' },
  { keys: ['?'], action: 'help', group: 'Looking around', does: 'this help' },
  { keys: ['redraw'], action: 'redraw', group: 'Looking around', does: 'draw the screen anew' },
  { keys: ['up', 'k'], action: 'up', group: 'Moving', does: 'up' },
  {
    keys: ['down', 'j'],
    action: 'down',
    group: 'Moving',
    does: 'down; past the last line: follow what is new',
  },
  { keys: ['page-up'], action: 'page-up', group: 'Moving', does: 'a page up' },
  { keys: ['page-down', ' '], action: 'page-down', group: 'Moving', does: 'a page down' },
  { keys: ['home', 'g'], action: 'home', group: 'Moving', does: 'to the beginning' },
  { keys: ['end', 'G'], action: 'end', group: 'Moving', does: 'to the end; the stream follows what is new' },
  {
    keys: ['escape'],
    action: 'back',
    group: 'Leaving',
    does: 'close what is open; to the stream; take search and filter away; follow what is new',
  },
  {
    keys: ['q', 'interrupt'],
    action: 'quit',
    group: 'Leaving',
    does: 'end the run in good order and leave; once more: at once. Attached, as to a run of weave -d: leave, it goes on',
  },
]

/** How a key is written for people. */
const keyNames: Readonly<Record<KeyName, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  home: 'Home',
  end: 'End',
  'page-up': 'PageUp',
  'page-down': 'PageDown',
  tab: 'Tab',
  'back-tab': 'Shift-Tab',
  enter: 'Enter',
  escape: 'Esc',
  backspace: 'Backspace',
  interrupt: 'Ctrl-C',
  redraw: 'Ctrl-L',
}

/** The row for a press, or undefined. */
export function rowFor(key: Key): KeyRow | undefined {
  const spelled = key.name === 'character' ? key.character : key.name
  return keyTable.find(row => row.keys.includes(spelled))
}

/** `↑ k`, `1 … 6`. */
export function keysText({ keys }: KeyRow): string {
  const names = keys.map(key =>
    Object.hasOwn(keyNames, key) ? keyNames[key as KeyName] : key === ' ' ? 'Space' : key,
  )
  return names.length > 3 ? `${names[0]} … ${names.at(-1)}` : names.join(' ')
}
