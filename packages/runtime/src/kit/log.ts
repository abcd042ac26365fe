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
