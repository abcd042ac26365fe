import { isoTime } from './clock.ts'

/** From the most talkative to the quietest. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Readonly<Record<string, unknown>>

type Write = (tag: string, message: string, fields?: LogFields) => void

/** Writing never throws and never waits. */
export interface Log extends Readonly<Record<LogLevel, Write>> {
  /** What `work` notes is written in one go: many notes cost hardly more than one. */
  together(work: () => void): void
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  together: work => work(),
}

interface Entry {
  readonly time: Date
  readonly level: LogLevel
  readonly tag: string
  readonly message: string
  readonly fields: LogFields | undefined
}

/**
 * `ISO LEVEL [TAG] message {json}` without control characters. Every text passes `redact` by itself, before quoting could
 * change how a secret looks, and the line once more as a whole.
 */
export function logLine(
  { time, level, tag, message, fields }: Entry,
  redact: (text: string) => string,
): string {
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

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeControl(character: string): string {
  return named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
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
