import { harmless, harmlessJson } from 'weave-client'
import { hasColour, type Paint } from './colour.ts'

/**
 * Where a command's words go. The only way out of the program beside the terminal UI; handed in, so that a test can read along.
 * Names, errors and files from outside are in these words, so control characters are spelled out here, whoever speaks.
 */
export interface Terminal {
  /** `paint` colours each line, where there are colours. */
  out(text: string, paint?: Paint): void
  error(text: string, paint?: Paint): void
  /** JSON, which stays the same JSON: what must not reach a terminal is escaped in it. */
  json(json: string): void
  /** What is made for other programs and has no control characters from outside in it; written as it is. */
  raw(text: string): void
}

export const processTerminal: Terminal = terminalOn(process.stdout, process.stderr)

type Stream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean }

export function terminalOn(stdout: Stream, stderr: Stream): Terminal {
  return {
    out: (text, paint) => void stdout.write(`${painted(text, stdout, paint)}\n`),
    error: (text, paint) => void stderr.write(`${painted(text, stderr, paint)}\n`),
    json: json => void stdout.write(`${harmlessJson(json)}\n`),
    raw: text => void stdout.write(`${text}\n`),
  }
}

/** Only after the text is harmless: no code in it may be anybody else's. */
function painted(text: string, stream: Stream, paint: Paint | undefined): string {
  const shown = harmless(text)
  const wish = { isTty: stream.isTTY === true, words: process.argv, environment: process.env }
  return paint && hasColour(wish) ? shown.split('\n').map(paint).join('\n') : shown
}

/** Whoever reads along may stop reading (`weave models | head`); that is no fault of the program. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}

/** Rows of words as lines with aligned columns. Counts characters, which is enough for what we print. */
export function columns(given: readonly (readonly string[])[], indent = '  '): readonly string[] {
  const rows = given.map(row => row.map(onOneLine))
  const widths = rows.reduce<readonly number[]>(
    (known, row) =>
      Array.from({ length: Math.max(known.length, row.length) }, (_, at) =>
        Math.max(known[at] ?? 0, row[at]?.length ?? 0),
      ),
    [],
  )
  return rows.map(row =>
    `${indent}${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  )
}

/** As it will be printed, because its length counts. A name with a line break must not look like a row of its own. */
function onOneLine(cell: string): string {
  return harmless(cell).replace(/\s/g, ' ')
}

/** `1 file`, `2 files`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** A size for people, such as `12.3 MB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${byteUnits[power]}`
}
