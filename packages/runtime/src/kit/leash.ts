import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { systemClock } from './clock.ts'
import { signalGroup } from './process-sweep.ts'

/** A point in time on this machine, the same in all of its processes, by two clocks: one stands while the machine sleeps. */
export interface Moment {
  readonly monotonicMs: number
  readonly bootMs: number
}

export function moment(): Moment {
  return { monotonicMs: systemClock.monotonic(), bootMs: uptime() * 1_000 }
}

/** So many milliseconds after. */
export function untilAfter({ monotonicMs, bootMs }: Moment, milliseconds: number): Moment {
  return { monotonicMs: monotonicMs + milliseconds, bootMs: bootMs + milliseconds }
}

export interface LeashOptions {
  readonly until: Moment
  /** Where the one who watches from outside reads how things are; gone after `close`. */
  readonly file: string
  /** How long what is on the leash may stand still. */
  readonly longestStandMs: number
  /** What is on it stands still, or goes on. Must not throw. */
  readonly onStand?: ((isStanding: boolean) => void) | undefined
  /** It stood for too long. */
  readonly onTooLong: () => void
}

/** For how long something may act, unless whoever allows it says more. */
export interface Leash {
  /** Another end. */
  extend(until: Moment): void
  /** The process groups on it. */
  hold(leaders: readonly number[]): void
  /** Settles when it may act: at once, or when it may again. When the signal aborts it settles, too. */
  fresh(signal: AbortSignal): Promise<void>
  close(): void
}

const lookEveryMs = 100

/**
 * Stops the process groups when the time is over (SIGSTOP) and lets them go on when there is more. A process beside this one
 * does the same, by the boot clock alone, so that they stand still also when this one does.
 */
export function startLeash({ until, file, longestStandMs, onTooLong, onStand }: LeashOptions): Leash {
  let end = until
  let groups: readonly number[] = []
  let stoodSince: number | undefined
  let waiting: (() => void)[] = []
  const keeper = startKeeper(file)

  const isFresh = (): boolean => {
    const { monotonicMs, bootMs } = moment()
    return monotonicMs < end.monotonicMs && bootMs < end.bootMs
  }
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const leader of groups) signalGroup(leader, signal)
  }
  const write = (): void => {
    const draft = `${file}.new`
    writeFileSync(draft, `${Math.floor(end.bootMs / 1_000)} ${groups.join(' ')}\n`, { mode: 0o600 })
    renameSync(draft, file)
  }
  const look = (): void => {
    const now = systemClock.monotonic()
    if (!isFresh()) {
      // Again and again: who was waiting to be collected by its parent may have begun something meanwhile.
      signalAll('SIGSTOP')
      if (stoodSince === undefined) onStand?.(true)
      stoodSince ??= now
      if (now - stoodSince > longestStandMs) onTooLong()
      return
    }
    if (stoodSince !== undefined) {
      onStand?.(false)
      signalAll('SIGCONT')
    }
    stoodSince = undefined
    const ready = waiting
    waiting = []
    for (const go of ready) go()
  }
  write()
  const stopLooking = systemClock.every(lookEveryMs, look)
  return {
    extend(later) {
      end = later
      write()
      look()
    },
    hold(leaders) {
      groups = leaders
      write()
      if (!isFresh()) look()
    },
    fresh(signal) {
      if (isFresh() && stoodSince === undefined) return Promise.resolve()
      return new Promise(resolve => {
        waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
    close() {
      stopLooking()
      keeper?.kill('SIGKILL')
      rmSync(file, { force: true })
    },
  }
}

/** Ends by itself when the process that it works for has ended. Only where the system says how long it is up, in a file. */
function startKeeper(file: string): ChildProcess | undefined {
  if (!existsSync('/proc/uptime')) return undefined
  const keeper = spawn('/bin/sh', ['-c', script, 'leash', String(process.pid), file], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: 'ignore',
  })
  keeper.on('error', () => undefined)
  keeper.unref()
  return keeper
}

const script = `
stood=
while kill -0 "$1" 2>/dev/null; do
  sleep 1
  read -r up rest </proc/uptime || continue
  [ -r "$2" ] || continue
  read -r end groups <"$2" || continue
  if [ "\${up%%.*}" -gt "$end" ]; then
    stood=1
    for group in $groups; do kill -s STOP -- "-$group" 2>/dev/null; done
  elif [ -n "$stood" ]; then
    stood=
    for group in $groups; do kill -s CONT -- "-$group" 2>/dev/null; done
  fi
done
`
