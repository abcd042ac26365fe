import { type ExitCode, exitCodes } from '../exit.ts'
import type { Terminal } from '../terminal.ts'

/** A shutdown that hangs is cut off after this long. */
const longestShutdown = 30_000

const codes = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
} as const

/** The first signal asks for a graceful end, the second ends at once. */
export function onSignals(shutdown: (reason: string) => void, terminal: Terminal) {
  let exitCode: ExitCode | undefined
  let guard: NodeJS.Timeout | undefined
  const handle = (signal: NodeJS.Signals): void => {
    if (!(signal in codes)) return
    const code = codes[signal as keyof typeof codes]
    if (exitCode !== undefined) process.exit(code)
    exitCode = code
    terminal.error(`${signal}: shutting down; once more ends at once.`)
    guard = setTimeout(() => process.exit(code), longestShutdown)
    shutdown(signal)
  }
  const names = Object.keys(codes) as (keyof typeof codes)[]
  for (const name of names) process.on(name, handle)
  return {
    get exitCode() {
      return exitCode
    },
    close() {
      clearTimeout(guard)
      for (const name of names) process.off(name, handle)
    },
  }
}
