import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readRegularFile } from '../files/index.ts'
import { collector, type Problem, problemOf } from '../kit/index.ts'

/** The variables of a file, in its order; empty when something is wrong with it. */
export interface EnvFile {
  readonly variables: readonly (readonly [name: string, value: string])[]
  readonly problems: readonly Problem<EnvFileCode>[]
}

type EnvFileCode = 'settings/env-file'

const code: EnvFileCode = 'settings/env-file'
const maxBytes = 1024 * 1024

/**
 * Reads the file that `--env-file` names, relative to the working directory. Never rejects. No problem says what is in a
 * line: it may be a secret.
 */
export async function readEnvFile(named: string, workingDirectory: string): Promise<EnvFile> {
  const path = resolve(workingDirectory, named)
  const target = await realpath(path).catch(() => path)
  const read = await readRegularFile(target, { maxBytes })
  if (!read.ok) return wholeFile(named, read.reason === 'missing' ? 'the file does not exist' : read.message)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes)
    return parseEnvFile(text, named)
  } catch {
    return wholeFile(named, 'the file is not UTF-8 text')
  }
}

function wholeFile(file: string, message: string): EnvFile {
  const place = { file, line: 1, column: 1 }
  return { variables: [], problems: [problemOf({ severity: 'error', code, message }, { where: '', place })] }
}

/**
 * What is taken means what Node makes of it (`util.parseEnv`). What Node would drop, cut short or overwrite without a word
 * is a problem here. One pass over the lines.
 */
export function parseEnvFile(text: string, file: string): EnvFile {
  const lines = text.split(/\r?\n/)
  const problems = collector<EnvFileCode>()
  const found = new Map<string, { readonly value: string; readonly line: number }>()
  let at = 0
  while (at < lines.length) {
    const read = readLine(lines, at)
    const complain = (message: string): void =>
      problems.error(code, { where: '', place: { file, line: at + 1, column: read.column } }, message)
    if (read.kind === 'wrong') complain(read.message)
    if (read.kind === 'variable') {
      const earlier = found.get(read.name)
      if (earlier) complain(`${read.name} is there twice, first in line ${earlier.line}. Remove one.`)
      else found.set(read.name, { value: read.value, line: at + 1 })
    }
    at += read.lines
  }
  const variables = [...found].map(([name, { value }]) => [name, value] as const)
  return { variables: problems.all().length > 0 ? [] : variables, problems: problems.all() }
}

/** One or, in quotes, several lines. */
type Line = { readonly column: number; readonly lines: number } & (
  | { readonly kind: 'nothing' }
  | { readonly kind: 'variable'; readonly name: string; readonly value: string }
  | { readonly kind: 'wrong'; readonly message: string }
)

const beginning = /^(?<before>\s*(?:export\s+)?)(?<name>[A-Za-z_]\w*)\s*=/

function readLine(lines: readonly string[], at: number): Line {
  const line = lines[at] ?? ''
  if (/^\s*(?:#|$)/.test(line)) return { kind: 'nothing', column: 1, lines: 1 }
  const start = beginning.exec(line)
  const name = start?.groups?.['name']
  if (!start || name === undefined)
    return wrong('expected NAME=value, a comment after #, or an empty line', line.search(/\S/) + 1)
  const column = (start.groups?.['before'] ?? '').length + 1
  const from = start[0].length
  const isQuoted = /^\s*["'`]/.test(line.slice(from))
  const read = isQuoted ? readQuoted(lines.slice(at), from) : readPlain(line, from)
  if (!read.ok) return wrong(read.message, read.column, isQuoted ? lines.length - at : 1)
  if (read.value.includes('\0')) return wrong('a variable cannot hold the character NUL', column)
  return { kind: 'variable', name, value: read.value, column, lines: read.lines }
}

type Value =
  | { readonly ok: true; readonly value: string; readonly lines: number }
  | { readonly ok: false; readonly message: string; readonly column: number }

/** A value without quotes. Other readers end it at any `#`, and a password would lose its end. */
function readPlain(line: string, from: number): Value {
  const mark = line.indexOf('#', from)
  const isInside = mark !== -1 && /[^\s]/.test(line.charAt(mark - 1))
  if (isInside) return { ok: false, message: 'quote a value that has a # in it', column: mark + 1 }
  return { ok: true, value: line.slice(from, mark === -1 ? undefined : mark).trim(), lines: 1 }
}

/** A value in quotes, which may go on over lines. Only in `"` does `\n` stand for a line break. */
function readQuoted(lines: readonly string[], from: number): Value {
  const text = lines.join('\n')
  const open = from + text.slice(from).search(/\S/)
  const quote = text.charAt(open)
  const close = text.indexOf(quote, open + 1)
  if (close === -1) return { ok: false, message: `the quote ${quote} is never closed`, column: open + 1 }
  const value = text.slice(open + 1, close)
  const end = text.indexOf('\n', close)
  const after = text.slice(close + 1, end === -1 ? undefined : end)
  if (!/^\s*(?:#|$)/.test(after))
    return { ok: false, message: `something follows the closing ${quote} of this value`, column: open + 1 }
  return {
    ok: true,
    value: quote === '"' ? value.replaceAll('\\n', '\n') : value,
    lines: value.split('\n').length,
  }
}

function wrong(message: string, column: number, lines = 1): Line {
  return { kind: 'wrong', message, column, lines }
}
