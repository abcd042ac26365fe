import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import type { Clock } from './clock.ts'
import { type LogFields, type LogLevel, logLevels, logLine } from './log.ts'

export interface FileLogOptions {
  readonly path: string
  /** Entries below it are not written. */
  readonly level: LogLevel
  /** An entry for which it throws is dropped. */
  readonly redact: (text: string) => string
  /** Beyond this the file is moved to `path.1`, over an older one. */
  readonly maxBytes: number
  readonly clock: Clock
  /** Called before each write; where it throws, the entry is dropped. */
  readonly assertHeld?: (() => void) | undefined
}

/**
 * One entry per line, readable by its owner only, with the system when the call returns. Nothing throws: a full disk costs
 * log lines, not the run.
 */
export function createFileLog(options: FileLogOptions) {
  const { path, level, redact, maxBytes, clock } = options
  const file = createAppender(path, maxBytes, options.assertHeld)
  let dropped = 0
  let gathered: string[] | undefined

  const append = (lines: readonly string[]): void => {
    try {
      file.append(lines.join(''))
    } catch {
      dropped += lines.length
    }
  }

  const writer = (entryLevel: LogLevel) => (tag: string, message: string, fields?: LogFields) => {
    if (logLevels.indexOf(entryLevel) < logLevels.indexOf(level)) return
    try {
      const line = logLine({ time: clock.now(), level: entryLevel, tag, message, fields }, redact)
      if (gathered) gathered.push(line)
      else append([line])
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
      if (lines.length > 0) append(lines)
    }
  }

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    together,
    /** Entries that come later open the file again. */
    close: file.close,
    /** Entries that could not be written as a whole; those written together count together. */
    get dropped() {
      return dropped
    },
  }
}

const mode = 0o600
// Without O_NONBLOCK an open of a FIFO would stop the whole process until someone reads from it.
const appendFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Text at the end of a file that does not grow without end: beyond `maxBytes` it is moved to `path.1`. May throw. */
export function createAppender(path: string, maxBytes: number, assertHeld: () => void = () => undefined) {
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
