import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Redactor } from '../kit/index.ts'

export interface SessionLogOptions {
  readonly path: string
  readonly redactor: Redactor
  /** Called before each write; throws when the execution is no longer ours to write to. */
  readonly assertHeld?: (() => void) | undefined
  /** Called once, when the disk refuses; from then on nothing more is written. */
  readonly onFailure: (message: string) => void
}

/** The raw messages of an agent, one JSON a line, appended. Never throws: the log of a session must not end the session. */
export function openSessionLog(options: SessionLogOptions) {
  const { path, redactor, onFailure, assertHeld = () => undefined } = options
  let failed = false
  const fail = (error: unknown): void => {
    if (!failed) onFailure(`The session log ${path} cannot be written: ${String(error)}`)
    failed = true
  }
  const mayWrite = (): boolean => {
    try {
      assertHeld()
      return true
    } catch (error) {
      fail(error)
      return false
    }
  }
  const opened = mkdir(dirname(path), { recursive: true, mode: 0o700 }).then(() => {
    const stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
    stream.on('error', fail)
    return stream
  }, fail)
  let pending = opened
  return {
    write(message: unknown): void {
      if (failed) return
      const line = lineOf(message, redactor)
      pending = pending.then(stream => {
        if (!mayWrite()) return stream
        if (!failed && stream && !stream.write(line)) return untilDrained(stream)
        return stream
      })
    },
    /** Resolves when everything is handed to the system. Never rejects. */
    async close(): Promise<void> {
      const stream = await pending
      if (!stream || failed) return
      stream.end()
      await finished(stream).catch(fail)
    },
  }
}

/** Also when it breaks: whoever waits goes on. */
function untilDrained(stream: WriteStream): Promise<WriteStream> {
  return new Promise(resolve => {
    for (const event of ['drain', 'close']) stream.once(event, () => resolve(stream))
  })
}

function lineOf(message: unknown, redactor: Redactor): string {
  try {
    const bounded = hasLongText(message) ? shortened(message, redactor) : message
    const json = JSON.stringify(bounded) ?? 'null'
    return `${redactor.suspects(json) ? JSON.stringify(redactor.json(bounded)) : json}\n`
  } catch (error) {
    return `${JSON.stringify({ unwritable: String(error) })}\n`
  }
}

/** A longer text is cut: writing and redacting it would hold up everything else. */
const longestText = 1 << 20
/** Longer than any secret, so that none is cut in two. */
const overlap = 1 << 16

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longestText
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}

function shortened(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return value.length > longestText ? cut(value, redactor) : value
  if (Array.isArray(value)) return value.map(item => shortened(item, redactor))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, redactor)]))
}

function cut(text: string, redactor: Redactor): string {
  const kept = redactor.text(text.slice(0, longestText + overlap)).slice(0, longestText)
  return `${kept}\n[${text.length - longestText} characters are left out]`
}
