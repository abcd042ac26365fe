export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogFields = Readonly<Record<string, unknown>>

type Write = (tag: string, message: string, fields?: LogFields) => void

/** Notes for whoever looks into a run afterwards. Writing one never throws and never waits. */
export type Log = Readonly<Record<LogLevel, Write>>

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
