import { systemClock } from '@weave/runtime'
import { type ExitCode, exitCodes, signalCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'

export interface SignalOptions {
  readonly limit: Pick<ShutdownLimit, 'begin'>
  /** Those that mean nothing here. */
  readonly ignored?: readonly NodeJS.Signals[] | undefined
  /** What the second signal does. */
  readonly exit?: (code: ExitCode) => void
}

/**
 * The first signal asks for a graceful end, the second ends at once. One that comes before there is something to shut down
 * waits for that, so that nothing begins unheard.
 */
export function onSignals(
  terminal: Terminal,
  { limit, ignored = [], exit = code => process.exit(code) }: SignalOptions,
) {
  let exitCode: ExitCode | undefined
  let asked: NodeJS.Signals | undefined
  let shutdown: ((reason: string) => void) | undefined
  const handle = (signal: NodeJS.Signals): void => {
    if (!(signal in signalCodes) || ignored.includes(signal)) return
    const code = signalCodes[signal as keyof typeof signalCodes]
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
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
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

/** A shutdown that hangs is cut off after this long. */
const longestShutdown = 30_000

interface ShutdownLimitOptions {
  readonly clock?: Pick<typeof systemClock, 'sleep'>
  readonly exit?: (code: ExitCode) => void
  readonly milliseconds?: number | undefined
}

/** The time that a shutdown may take, whoever asked for it. */
interface ShutdownLimit {
  /** From now on time counts; when it is up the process ends with the code that holds then. Later calls change nothing. */
  begin(code: () => ExitCode): void
  /** The shutdown has ended by itself. */
  close(): void
}

export function createShutdownLimit(
  terminal: Pick<Terminal, 'error'>,
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

/** For words before a sudden end: they come when the process exits, and a screen that covered the terminal is gone. */
export function lastWords(terminal: Terminal): Pick<Terminal, 'error'> {
  return { error: text => void process.once('exit', () => terminal.error(text)) }
}

/** Ends the process without waiting for anything, and says how to go on. */
export function endAtOnce(terminal: Terminal, code: ExitCode, goOn: string): never {
  lastWords(terminal).error(`Ended at once. Go on with: ${goOn}`)
  process.exit(code)
}

/**
 * Another process has the execution now. Ends this one at once, without a goodbye: whatever is said to anybody would be
 * written into what is another's. The warden ends what this process has started.
 */
export function endWithoutExecution(terminal: Terminal, reason: string): void {
  lastWords(terminal).error(
    `${reason}\nThis server ends, with its agents. "weave list" says who is at work there now.`,
  )
  process.exit(exitCodes.failed)
}
