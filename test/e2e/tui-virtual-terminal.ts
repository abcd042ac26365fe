import { EventEmitter } from 'node:events'
// The package is CommonJS without names that an ES module could import.
import headless from '@xterm/headless'
import type { Input } from '../../packages/tui/src/terminal/keyboard.ts'
import type { Output } from '../../packages/tui/src/terminal/screen.ts'

/** A real terminal emulator without a window: what is written to it can be looked at. */
export function virtualTerminal({ columns = 80, rows = 24 } = {}) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 })
  const emitter = new EventEmitter()
  const answers: string[] = []
  const titles: string[] = []
  let bells = 0
  let written = 0
  terminal.onData(text => answers.push(text))
  terminal.onTitleChange(title => titles.push(title))
  terminal.onBell(() => {
    bells += 1
  })
  const output: Output & EventEmitter = Object.assign(emitter, {
    columns,
    rows,
    writableNeedDrain: false,
    write(text: string): boolean {
      written += text.length
      terminal.write(text)
      return true
    },
  })
  const lines = (): readonly string[] =>
    Array.from({ length: terminal.rows }, (_, row) => {
      const { active } = terminal.buffer
      return active.getLine(active.baseY + row)?.translateToString(true) ?? ''
    })
  return {
    terminal,
    output,
    lines,
    text: () => lines().join('\n'),
    /** Resolves when everything that was written has been taken in. */
    settled: () => new Promise<void>(resolve => terminal.write('', resolve)),
    resize(size: { readonly columns: number; readonly rows: number }): void {
      terminal.resize(size.columns, size.rows)
      Object.assign(output, size)
      emitter.emit('resize')
    },
    /** What the terminal sent back by itself: answers to questions that a program asked it. */
    answers,
    titles,
    bells: () => bells,
    written: () => written,
  }
}

/** A keyboard: `type` is what a terminal would send. */
export function virtualKeyboard() {
  const emitter = new EventEmitter()
  const modes: boolean[] = []
  const input: Input & EventEmitter = Object.assign(emitter, {
    setRawMode: (raw: boolean) => modes.push(raw),
    resume: () => undefined,
    pause: () => undefined,
  })
  return { input, modes, type: (text: string) => void emitter.emit('data', Buffer.from(text)) }
}
