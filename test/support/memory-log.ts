import type { Log, LogFields, LogLevel } from '../../packages/runtime/src/kit/log.ts'

export interface LogEntry {
  readonly level: LogLevel
  readonly tag: string
  readonly message: string
  readonly fields?: LogFields
}

/** A log to look into from a test. */
export interface MemoryLog extends Log {
  /** In order; grows as entries come. */
  readonly entries: readonly LogEntry[]
}

export function memoryLog(): MemoryLog {
  const entries: LogEntry[] = []
  const write = (level: LogLevel) => (tag: string, message: string, fields?: LogFields) => {
    entries.push({ level, tag, message, ...(fields && { fields }) })
  }
  return {
    entries,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    together: work => work(),
  }
}
