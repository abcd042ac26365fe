import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { type Clock, isoTime } from './clock.ts'

/** From the most talkative to the quietest. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Readonly<Record<string, unknown>>

type Write = (tag: string, message: string, fields?: LogFields) => void

/** Notes for whoever looks into a run afterwards. Writing one never throws and never waits. */
export interface Log extends Readonly<Record<LogLevel, Write>> {
  /** What `work` notes is written in one go when it returns: many notes cost hardly more than one. */
  together(work: () => void): void
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  together: work => work(),
}

export interface FileLogOptions {
  readonly path: string
  /** Entries below it are not written. */
  readonly level: LogLevel
  /** Sees every text before it is written. Should not throw; an entry for which it does is dropped. */
  readonly redact: (text: string) => string
  /** The file is moved to `path.1`, over an older one, before it would grow beyond this. */
  readonly maxBytes: number
  readonly clock: Clock
  /** Called before each write; where it throws, the entry is dropped. */
  readonly assertHeld?: (() => void) | undefined
}

export interface FileLog extends Log {
  /** Entries that could not be written, or not as a whole; those written together count together. */
  readonly dropped: number
  /** Idempotent. Entries that come later open the file again. */
  close(): void
}

/**
 * A log file, one entry per line, readable by its owner only. The file is opened with the first entry and the line is
 * with the system when the call returns, or when `together` does. Nothing here throws: a full disk costs log lines, not the run.
 */
export function createFileLog(options: FileLogOptions): FileLog {
  const { path, level, redact, maxBytes, clock } = options
  const file = createAppender(path, maxBytes, options.assertHeld)
  let dropped = 0
  let gathered: string[] | undefined

  const writer = (entryLevel: LogLevel) => (tag: string, message: string, fields?: LogFields) => {
    if (weight[entryLevel] < weight[level]) return
    try {
      const line = logLine({ time: clock.now(), level: entryLevel, tag, message, fields }, redact)
      if (gathered) gathered.push(line)
      else file.append(line)
    } catch {
      dropped++
    }
  }

  function together(work: () => void): void {
    if (gathered) {
      work()
      return
    }
    const lines: string[] = []
    gathered = lines
    try {
      work()
    } finally {
      gathered = undefined
      if (lines.length > 0) appendAll(lines)
    }
  }

  function appendAll(lines: readonly string[]): void {
    try {
      file.append(lines.join(''))
    } catch {
      dropped += lines.length
    }
  }

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    together,
    close: file.close,
    get dropped() {
      return dropped
    },
  }
}

const weight: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }
const mode = 0o600
// Without O_NONBLOCK an open of a FIFO would stop the whole process until someone reads from it.
const appendFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface Appender {
  /** Throws with the system's error. */
  append(line: string): void
  /** Never throws. */
  close(): void
}

function createAppender(path: string, maxBytes: number, assertHeld: () => void = () => undefined): Appender {
  let fd: number | undefined
  let size = 0
  let torn = false

  function append(line: string): void {
    assertHeld()
    const bytes = Buffer.from(torn ? `\n${line}` : line)
    const written = writeSync(fileFor(bytes.length), bytes)
    size += written
    torn = written < bytes.length
    if (torn) throw new Error('the disk took only a part of the line')
  }

  function fileFor(length: number): number {
    const current = fd ?? openFile()
    if (size === 0 || size + length <= maxBytes) return current
    renameSync(path, `${path}.1`)
    close()
    return openFile()
  }

  function openFile(): number {
    fd = openPrivate(path)
    size = fstatSync(fd).size
    return fd
  }

  function close(): void {
    if (fd !== undefined) closeQuietly(fd)
    fd = undefined
  }

  return { append, close }
}

function openPrivate(path: string): number {
  const fd = openSync(path, appendFlags, mode)
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is not a regular file`)
    fchmodSync(fd, mode)
    return fd
  } catch (error) {
    closeQuietly(fd)
    throw error
  }
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd)
  } catch {
    // Every line was written before; nothing depends on the close.
  }
}

interface LogLineParts {
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
