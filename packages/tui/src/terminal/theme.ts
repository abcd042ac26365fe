import type { Style } from './line.ts'

/** How the styles look on this terminal, and the few signs that not every terminal has. */
export interface Theme {
  /** What switches a style on; what switches it off is always the same. Empty: looks plain. */
  readonly codes: Readonly<Record<Style, string>>
  readonly signs: Signs
}

export interface Signs {
  readonly pending: string
  readonly running: string
  readonly completed: string
  readonly failed: string
  readonly skipped: string
  readonly loop: string
  readonly folded: string
  readonly unfolded: string
  readonly cursor: string
  readonly full: string
  readonly empty: string
  readonly wall: string
  readonly rule: string
  readonly separator: string
}

export interface ThemeOptions {
  readonly color: boolean
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean
}

export function createTheme({ color, unicode }: ThemeOptions): Theme {
  return { codes: color ? coloured : colourless, signs: unicode ? unicodeSigns : asciiSigns }
}

const coloured: Theme['codes'] = {
  plain: '',
  dim: '\x1b[2m',
  bold: '\x1b[1m',
  good: '\x1b[32m',
  bad: '\x1b[31m',
  warn: '\x1b[33m',
  accent: '\x1b[36m',
  match: '\x1b[30;43m',
  bar: '\x1b[7m',
  badge: '\x1b[1;7m',
  added: '\x1b[32m',
  removed: '\x1b[31m',
}

/** Bold, dim and reversed are no colours. */
const colourless: Theme['codes'] = {
  ...coloured,
  good: '',
  bad: '\x1b[1m',
  warn: '\x1b[1m',
  accent: '\x1b[1m',
  match: '\x1b[7m',
  added: '',
  removed: '',
}

const unicodeSigns: Signs = {
  pending: '·',
  running: '▶',
  completed: '✓',
  failed: '✗',
  skipped: '»',
  loop: '↻',
  folded: '▸',
  unfolded: '▾',
  cursor: '▌',
  full: '█',
  empty: '░',
  wall: '│',
  rule: '─',
  separator: ' · ',
}

const asciiSigns: Signs = {
  pending: '.',
  running: '>',
  completed: '+',
  failed: 'x',
  skipped: '-',
  loop: '@',
  folded: '>',
  unfolded: 'v',
  cursor: '|',
  full: '#',
  empty: '.',
  wall: '|',
  rule: '-',
  separator: ' | ',
}
