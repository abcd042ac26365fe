import { signal } from '@preact/signals'
import { focusLater, focusOn, isForAwaited } from './awaited-field.ts'
import type { Execution } from './execution.ts'
import { isAsking } from './parts/ask.tsx'
import { go, panelRoute, place, select } from './place.ts'
import { preferences } from './preferences.ts'
import { panels } from './routes.ts'
import { type Steer, steerRun } from './steering.ts'
import type { StreamKey } from './stream.ts'

/** What a key is pressed for; the letters are those of the terminal where it has the thing. */
type KeyAction =
  | { readonly kind: 'stream'; readonly key: StreamKey }
  | { readonly kind: 'steer'; readonly steer: Steer }
  | { readonly kind: 'panel' }
  | { readonly kind: 'do'; readonly what: DoKey }

type DoKey =
  | 'search'
  | 'filter'
  | 'next-match'
  | 'previous-match'
  | 'unfold'
  | 'checkpoints'
  | 'costs'
  | 'utc'
  | 'help'
  | 'executions'
  | 'fleet'
  | 'approve'
  | 'back'

interface KeyRow {
  readonly keys: readonly string[]
  readonly does: string
  readonly action: KeyAction
}

const stream = (keys: readonly string[], key: StreamKey, does: string): KeyRow => ({
  keys,
  does,
  action: { kind: 'stream', key },
})
const steer = (key: string, what: Steer, does: string): KeyRow => ({
  keys: [key],
  does,
  action: { kind: 'steer', steer: what },
})
const other = (keys: readonly string[], what: DoKey, does: string): KeyRow => ({
  keys,
  does,
  action: { kind: 'do', what },
})

/** TABLE of the keys. What a press does and the help are made from it. */
export const keyTable: readonly KeyRow[] = [
  { keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], does: 'that panel', action: { kind: 'panel' } },
  other(['/'], 'search', 'search the stream'),
  other(['t'], 'filter', 'choose a type of events'),
  other([']'], 'next-match', 'next event that fits'),
  other(['['], 'previous-match', 'event before that fits'),
  other(['x'], 'unfold', 'unfold or fold what is long'),
  stream(['j', 'ArrowDown'], 'down', 'down'),
  stream(['k', 'ArrowUp'], 'up', 'up'),
  stream(['PageDown', ' '], 'page-down', 'a page down'),
  stream(['PageUp'], 'page-up', 'a page up'),
  stream(['g', 'Home'], 'home', 'to the beginning'),
  stream(['G', 'End'], 'end', 'to the end; follow what is new'),
  stream(['Enter'], 'open', 'open the event'),
  steer('n', 'next', 'start the next codon'),
  steer('s', 'skip', 'skip the codon that runs; asks first'),
  steer('f', 'stop', 'stop the codon that runs; asks first'),
  steer('r', 'redo', 'do the last codon again; asks first'),
  other(['b'], 'checkpoints', 'go back: choose a checkpoint'),
  other(['y'], 'approve', 'approve what waits; asks first'),
  other(['c'], 'costs', 'costs'),
  other(['u'], 'utc', 'local time or UTC'),
  other(['o'], 'executions', 'all executions'),
  other(['F'], 'fleet', 'the fleet'),
  other(['?'], 'help', 'this help'),
  other(['Escape'], 'back', 'close what is open'),
]

export const isHelpOpen = signal(false)

interface Listeners {
  stream: ((key: StreamKey) => void) | undefined
  approve: (() => void) | undefined
}
const listeners: Listeners = { stream: undefined, approve: undefined }

/** Who hears the keys of the stream, or of the gate in sight, for as long as it is there. */
export function onKey<Name extends keyof Listeners>(
  name: Name,
  listener: NonNullable<Listeners[Name]>,
): () => void {
  listeners[name] = listener
  return () => {
    if (listeners[name] === listener) listeners[name] = undefined
  }
}

export function startKeys(page: Document, current: () => Execution | undefined): void {
  page.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || isAsking()) return
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur()
      return
    }
    if (isForAwaited(event)) return event.preventDefault()
    if (isPressing(event)) return
    const isLetter = event.key.length === 1
    if (isLetter && preferences.letters.value === 'off') return
    const row = keyTable.find(({ keys }) => keys.includes(event.key))
    if (row && perform(row.action, event.key, current())) event.preventDefault()
  })
}

/** True: something was done. */
function perform(action: KeyAction, key: string, execution: Execution | undefined): boolean {
  if (action.kind === 'stream') {
    listeners.stream?.(action.key)
    return listeners.stream !== undefined
  }
  if (action.kind === 'do') return doKey(action.what, execution)
  if (!execution) return false
  if (action.kind === 'steer') steerRun(execution, action.steer)
  else go(panelRoute(execution.name, panels[Number(key) - 1] ?? 'stream'))
  return true
}

function doKey(what: DoKey, execution: Execution | undefined): boolean {
  switch (what) {
    case 'search':
      return focusOn('search') || (execution ? goToSearch(execution) : false)
    case 'filter':
      return focusOn('type')
    case 'next-match':
      listeners.stream?.('down')
      return true
    case 'previous-match':
      listeners.stream?.('up')
      return true
    case 'unfold':
      return unfold()
    case 'checkpoints':
    case 'costs':
      if (execution) go(panelRoute(execution.name, what))
      return true
    case 'utc':
      preferences.zone.value = preferences.zone.value === 'utc' ? 'local' : 'utc'
      return true
    case 'help':
      isHelpOpen.value = !isHelpOpen.value
      return true
    case 'executions':
      go({ page: 'executions', parameters: {} })
      return true
    case 'fleet':
      go({ page: 'fleet', parameters: {} })
      return true
    case 'approve':
      listeners.approve?.()
      return true
    case 'back':
      return back()
  }
}

function back(): boolean {
  if (isHelpOpen.value) isHelpOpen.value = false
  else if (place.value.parameters['at'] !== undefined) select({ at: undefined })
  else if (place.value.page === 'batch') select({ state: undefined, after: undefined })
  else if (place.value.page === 'run')
    select({ q: undefined, type: undefined, codon: undefined, failed: undefined })
  return true
}

function goToSearch({ name }: Execution): boolean {
  go(panelRoute(name, 'stream'))
  focusLater('search')
  return true
}

function unfold(): boolean {
  const parts = [...document.querySelectorAll<HTMLDetailsElement>('main details')]
  const open = parts.some(part => !part.open)
  for (const part of parts) part.open = open
  return true
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement
    ? !['checkbox', 'radio', 'button'].includes(target.type)
    : target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

/** Space and Enter press the button or follow the link that has the focus. */
function isPressing({ key, target }: KeyboardEvent): boolean {
  return (
    (key === 'Enter' || key === ' ') &&
    target instanceof Element &&
    target.closest('a,button,summary') !== null
  )
}
