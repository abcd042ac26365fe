import { isoTime } from './iso-time.ts'
import type { LogFields, LogLevel } from './log.ts'

export interface LogLineParts {
  readonly time: Date
  readonly level: LogLevel
  readonly tag: string
  readonly message: string
  readonly fields: LogFields | undefined
}

/**
 * `ISO LEVEL [TAG] message {json}` and a line feed; the JSON only when there are fields. No other line end or control
 * character is in it. Every text passes `redact` by itself, before quoting could change how a secret looks, and the line
 * once more as a whole. Throws only when `redact` does.
 */
export function logLine(parts: LogLineParts, redact: (text: string) => string): string {
  const { time, level, tag, message, fields } = parts
  // Without a control character quoting changes nothing, and the pass over the whole line does.
  const words = controls.test(message) ? escapeControls(redact(message)) : message
  const start = `${isoTime(time)} ${level.toUpperCase()} [${tag}] ${words}`
  const line = fields ? `${start} ${fieldsText(fields, redact)}` : start
  return `${shorten(escapeControls(redact(line)))}\n`
}

const maxLineLength = 64 * 1024

function shorten(line: string): string {
  if (line.length <= maxLineLength) return line
  return `${line.slice(0, maxLineLength)} [${line.length - maxLineLength} characters left out]`
}

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

function escapeControls(text: string): string {
  return controls.test(text) ? text.replaceAll(everyControl, escapeControl) : text
}

const everyControl = new RegExp(controls, 'g')

function escapeControl(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function fieldsText(fields: LogFields, redact: (text: string) => string): string {
  try {
    return JSON.stringify(fields, (_key, value: unknown) => plain(value, redact))
  } catch {
    return '{"fields":"without a JSON form"}'
  }
}

function plain(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'bigint') return value.toString()
  if (!(value instanceof Error)) return value
  // Spread for what a system error carries beside its message; the rest of an error is hidden from JSON.
  return { ...value, name: value.name, message: value.message, stack: value.stack, cause: value.cause }
}
