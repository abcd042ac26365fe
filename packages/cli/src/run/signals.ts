import { type ExitCode, exitCodes } from '../exit.ts'
import type { Terminal } from '../terminal.ts'
import type { ShutdownLimit } from './shutdown-limit.ts'

const codes = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
} as const

export interface SignalOptions {
  readonly limit: Pick<ShutdownLimit, 'begin'>
  readonly exit?: (code: ExitCode) => void
}

/**
 * The first signal asks for a graceful end, the second ends at once. One that comes before there is something to shut down
 * waits for that, so that nothing begins unheard.
 */
export function onSignals(terminal: Terminal, { limit, exit = code => process.exit(code) }: SignalOptions) {
  let exitCode: ExitCode | undefined
  let asked: NodeJS.Signals | undefined
  let shutdown: ((reason: string) => void) | undefined
  const handle = (signal: NodeJS.Signals): void => {
    if (!(signal in codes)) return
    const code = codes[signal as keyof typeof codes]
    if (exitCode !== undefined) {
      exit(code)
      return
    }
    exitCode = code
    asked = signal
    terminal.error(`${signal}: shutting down; once more ends at once.`)
    limit.begin(() => code)
    shutdown?.(signal)
  }
  const names = Object.keys(codes) as (keyof typeof codes)[]
  for (const name of names) process.on(name, handle)
  return {
    get exitCode() {
      return exitCode
    },
    /** From now on this is what a signal asks for. */
    endBy(end: (reason: string) => void) {
      shutdown = end
      if (asked !== undefined) end(asked)
    },
    close() {
      for (const name of names) process.off(name, handle)
    },
  }
}
