import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Clock, Redactor } from '../kit/index.ts'
import type { RequestRecord } from './request-record.ts'

export interface RequestLogOptions {
  readonly path: string
  readonly redactor: Redactor
  readonly clock: Clock
  /** Called before each write; throws when the execution is no longer ours to write to. */
  readonly assertHeld?: (() => void) | undefined
  /** Called once, when the disk refuses; from then on nothing more is written. */
  readonly onFailure: (message: string) => void
}

/** A record a line, without secrets, readable by its owner only. Never throws: what is learnt must not hurt what is done. */
export interface RequestLog {
  /** Returns at once; the line is on its way within a moment. */
  write(record: RequestRecord): void
  /** Writes what is left. Never rejects. */
  close(): Promise<void>
}

/** Milliseconds in which lines are gathered: one write for all of them costs hardly more than for one. */
const gathering = 100

// As for every file that an agent could put something else in place of: no link is followed, nothing is waited for.
const flags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

export function openRequestLog(options: RequestLogOptions): RequestLog {
  const { path, redactor, clock, onFailure, assertHeld = () => undefined } = options
  let waiting: unknown[] = []
  let writing: Promise<void> = Promise.resolve()
  let hasFailed = false
  const hurry = new AbortController()

  async function flush(): Promise<void> {
    await clock.sleep(gathering, hurry.signal).catch(() => undefined)
    const records = waiting
    waiting = []
    try {
      assertHeld()
      const file = await open(path, flags, 0o600)
      try {
        await file.appendFile(linesOf(records, redactor))
      } finally {
        await file.close()
      }
    } catch (error) {
      if (!hasFailed) onFailure(`The requests cannot be written to ${path}: ${String(error)}`)
      hasFailed = true
    }
  }

  return {
    write(record) {
      if (hasFailed) return
      if (waiting.push(record) === 1) writing = writing.then(flush)
    },
    async close() {
      hurry.abort()
      await writing
    },
  }
}

function linesOf(records: readonly unknown[], redactor: Redactor): string {
  const text = records.map(record => `${JSON.stringify(record)}\n`).join('')
  if (!redactor.suspects(text)) return text
  return records.map(record => `${JSON.stringify(redactor.json(record))}\n`).join('')
}
