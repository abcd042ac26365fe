import { systemClock } from '@weave/runtime'
import type { ExitCode } from '../exit.ts'
import type { Terminal } from '../terminal.ts'

/** A shutdown that hangs is cut off after this long. */
const longestShutdown = 30_000

export interface ShutdownLimitOptions {
  readonly clock?: Pick<typeof systemClock, 'sleep'>
  readonly exit?: (code: ExitCode) => void
  readonly milliseconds?: number | undefined
}

/** The time that a shutdown may take, whoever asked for it. */
export interface ShutdownLimit {
  /** From now on time counts; when it is up the process ends with the code that holds then. Later calls change nothing. */
  begin(code: () => ExitCode): void
  /** The shutdown has ended by itself. */
  close(): void
}

export function createShutdownLimit(
  terminal: Terminal,
  {
    clock = systemClock,
    exit = code => process.exit(code),
    milliseconds = longestShutdown,
  }: ShutdownLimitOptions = {},
): ShutdownLimit {
  const closed = new AbortController()
  let isBegun = false
  const cutOff = (code: ExitCode): void => {
    terminal.error('The shutdown hangs and is cut off. The next start puts right what it left.')
    exit(code)
  }
  return {
    begin(code) {
      if (isBegun) return
      isBegun = true
      void clock.sleep(milliseconds, closed.signal).then(
        () => cutOff(code()),
        () => undefined,
      )
    },
    close: () => closed.abort(),
  }
}
