import type { Terminal } from '../terminal.ts'

/** A terminal that a screen covers for a while: words for people wait until it is gone. */
interface HeldTerminal extends Terminal {
  readonly isHeld: boolean
  hold(): void
  /** Says everything that waited, in order. */
  release(): void
}

export function holdable(terminal: Terminal): HeldTerminal {
  let waiting: (() => void)[] | undefined
  const say = (speak: () => void): void => {
    if (waiting) waiting.push(speak)
    else speak()
  }
  return {
    get isHeld() {
      return waiting !== undefined
    },
    out: text => say(() => terminal.out(text)),
    error: text => say(() => terminal.error(text)),
    json: json => say(() => terminal.json(json)),
    raw: text => say(() => terminal.raw(text)),
    hold() {
      waiting ??= []
    },
    release() {
      const all = waiting ?? []
      waiting = undefined
      for (const speak of all) speak()
    },
  }
}
