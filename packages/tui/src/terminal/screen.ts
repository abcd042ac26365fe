/**
 * What the screen needs of a terminal: a page of its own, no cursor, no wrapping at the edge, and pasted text marked as such so
 * that it is not taken for keys.
 */
const enterSequence = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J'

/** Everything back; harmless on a terminal that is as it was. Also for whoever cleans up after a screen that was killed. */
export const restoreSequence = '\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'

/** Terminals that know it show what is between the two at once. */
const beginFrame = '\x1b[?2026h'
const endFrame = '\x1b[?2026l'

const clearScreen = '\x1b[2J'

/** The part of a terminal's output stream that a screen uses. */
export interface Output {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  readonly writableNeedDrain: boolean
  write(text: string): boolean
  on(event: 'resize' | 'drain', listener: () => void): unknown
  off(event: 'resize' | 'drain', listener: () => void): unknown
}

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/**
 * A page of rows on a terminal. Sends only rows that changed. While the terminal has not taken what was sent before, nothing
 * is drawn: a slow terminal shows fewer pages, and what waits for it never grows.
 */
export interface Screen {
  readonly size: ScreenSize
  /** False: the terminal is behind; `onReady` is called when it has caught up. */
  readonly draw: (rows: readonly string[]) => boolean
  /** The next page is sent whole, whatever the terminal shows now. */
  readonly forget: () => void
  /** Called when the size changed, or when the terminal has caught up: draw again. */
  readonly onReady: (listener: () => void) => void
  /** Gives the terminal to somebody else; nothing is drawn until `resume` takes it back. */
  readonly pause: () => void
  readonly resume: () => void
  /** Restores the terminal; calling it again does nothing. */
  readonly close: () => void
}

export function openScreen(output: Output): Screen {
  let shown: readonly string[] | undefined
  let isOpen = true
  let isPaused = false
  let ready = (): void => {}
  const resized = (): void => {
    shown = undefined
    ready()
  }
  const drained = (): void => ready()
  output.on('resize', resized)
  output.on('drain', drained)
  output.write(enterSequence)
  return {
    get size() {
      return { columns: output.columns || 80, rows: output.rows || 24 }
    },
    draw(rows) {
      if (isPaused) return true
      if (!isOpen || output.writableNeedDrain) return !isOpen
      const text = changes(shown, rows)
      shown = rows
      if (text !== '') output.write(`${beginFrame}${text}${endFrame}`)
      return true
    },
    forget() {
      shown = undefined
    },
    onReady(listener) {
      ready = listener
    },
    pause() {
      isPaused = true
      output.write(restoreSequence)
    },
    resume() {
      isPaused = false
      if (!isOpen) return
      shown = undefined
      output.write(enterSequence)
      ready()
    },
    close() {
      if (!isOpen) return
      isOpen = false
      output.off('resize', resized)
      output.off('drain', drained)
      output.write(restoreSequence)
    },
  }
}

/** What turns the rows that are shown into those that should be. */
function changes(shown: readonly string[] | undefined, rows: readonly string[]): string {
  const known = shown ?? []
  const length = Math.max(known.length, rows.length)
  let text = shown ? '' : clearScreen
  for (let row = 0; row < length; row++) {
    const next = rows[row] ?? ''
    if (next !== (known[row] ?? '')) text += `\x1b[${row + 1};1H\x1b[2K${next}`
  }
  return text
}
