/** A field that is about to be drawn, and what a person types meanwhile: none of it is a command, and none is lost. */
interface Awaited {
  readonly id: string
  readonly since: number
  typed: string
}

let awaited: Awaited | undefined

/** Longer than a panel takes to be loaded; then keys mean again what they say. */
const longestWaitMs = 3_000

/** False: there is no such field. */
export function focusOn(id: string): boolean {
  const field = document.getElementById(id)
  field?.focus()
  return field !== null
}

/** Focuses on a field as soon as it is there. */
export function focusLater(id: string): void {
  awaited = { id, since: performance.now(), typed: '' }
  requestAnimationFrame(look)
}

/** True: it belongs to the field. */
export function isForAwaited({ key }: KeyboardEvent): boolean {
  if (!awaited) return false
  if (key === 'Escape') awaited = undefined
  else if (key === 'Backspace') awaited.typed = awaited.typed.slice(0, -1)
  else if (key.length === 1) awaited.typed += key
  return true
}

function look(): void {
  if (!awaited) return
  const { id, since, typed } = awaited
  const isThere = focusOn(id)
  if (!isThere && performance.now() - since < longestWaitMs) {
    requestAnimationFrame(look)
    return
  }
  awaited = undefined
  const field = document.getElementById(id)
  if (typed === '' || !(field instanceof HTMLInputElement)) return
  field.value += typed
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
