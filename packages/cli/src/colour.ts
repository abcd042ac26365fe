/** Colours for people at a terminal: whether there are any, and which is for what. The screen asks here, too. */

export interface ColourWish {
  readonly isTty: boolean
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** `--no-color` and `NO_COLOR` take them away; `FORCE_COLOR` gives them also to a pipe; otherwise a terminal has them. */
export function hasColour({ isTty, words, environment }: ColourWish): boolean {
  if (words.includes('--no-color') || (environment['NO_COLOR'] ?? '') !== '') return false
  const forced = environment['FORCE_COLOR']
  if (forced !== undefined) return !/^(0|false)$/i.test(forced)
  return isTty && environment['TERM'] !== 'dumb'
}

/** Makes coloured text of text that is harmless already. */
export type Paint = (text: string) => string

const code =
  (on: number, off: number): Paint =>
  text =>
    text === '' ? text : `\u001b[${on}m${text}\u001b[${off}m`

export const red = code(31, 39)
const green = code(32, 39)
const yellow = code(33, 39)
const cyan = code(36, 39)
const bold = code(1, 22)
const dim = code(2, 22)

/** The words for how something stands, wherever they are in a line. */
const standings: readonly (readonly [RegExp, Paint])[] = [
  [/\b(?:failed|crashed|unreadable)\b/, red],
  [/\b(?:stopped|stopped by budget)\b/, yellow],
  [/\b(?:completed|running|is done)\b/, green],
]

/** A row or a sentence: the first word for how it stands. */
export const paintStanding: Paint = line => {
  for (const [word, paint] of standings) if (word.test(line)) return line.replace(word, paint)
  return line
}

/** A line of `git diff`. */
export const paintDiff: Paint = line => {
  if (/^(?:diff |index |\+\+\+ |--- )/.test(line)) return bold(line)
  if (line.startsWith('@@')) return cyan(line)
  if (line.startsWith('+')) return green(line)
  return line.startsWith('-') ? red(line) : line
}

/** The mark at the beginning of a line of `weave doctor`. */
export const paintMark: Paint = line =>
  line.replace(/^(\s*)(ok|!|x)(?=\s)/, (_, indent: string, mark: string) => {
    const paint = { ok: green, '!': yellow, x: red }[mark] ?? bold
    return `${indent}${paint(mark)}`
  })

/** The verdict on a hank: headings, and the place that each problem names. */
export const paintVerdict: Paint = line => {
  if (line === 'Validation failed:') return red(line)
  if (/^(?:! Configuration warnings|Warnings):$/.test(line)) return yellow(line)
  if (line === 'Configuration is valid!') return green(line)
  if (/^\s+\|\s+\^$/.test(line)) return red(line)
  return line.replace(/^- (\S+:\d+:\d+:)/, (_, place: string) => `- ${bold(place)}`)
}

/** One event of a run in a line, after its time. */
export function paintEvent({ type, data }: { readonly type: string; readonly data: object }): Paint {
  const paint = eventPaint(type, data)
  return line => {
    const at = line.indexOf(' ')
    return at < 0 ? paint(line) : `${dim(line.slice(0, at))} ${paint(line.slice(at + 1))}`
  }
}

const plain: Paint = text => text

function eventPaint(type: string, data: object): Paint {
  if (type === 'codon.completed') return 'success' in data && data.success === true ? green : red
  if (type === 'error') return 'severity' in data && data.severity === 'warning' ? yellow : red
  return /^(?:budget\.exceeded|codon\.retrying|run\.parked|sentinel\.error)$/.test(type) ? yellow : plain
}
