import { systemClock } from './clock.ts'
import { processStartTime } from './process-identity.ts'
import type { Marker } from './process-marker.ts'
import type { ProcessName } from './process-tree.ts'
import { formatList } from './warden-list.ts'
import { startWardenProcess, type WardenProcess, type WardenProgram } from './warden-process.ts'

/**
 * A small process that outlives us and ends what we own, should we end without saying so: by SIGKILL, by a crash, by an
 * exit that nobody planned. It waits on a pipe that only we hold. What it then does, see `runWarden`.
 *
 * | system  | what it ends |
 * |---------|--------------|
 * | Linux   | the groups told by `own`, whatever carries the marker, and everything that came from these |
 * | macOS   | the groups told by `own` and what still has one of their members as an ancestor |
 * | Windows | the trees of the processes told by `own`, as far as the system still knows them; the system itself ends our direct children with us |
 */
export interface Warden {
  /** Of the process that waits now; `undefined` while there is none. */
  readonly pid: number | undefined
  /** Tells it of the process group that `leader` began; the returned function takes that back. Neither throws. */
  own(leader: number): () => void
  /** The normal end: it goes away and ends nothing. Idempotent; never rejects. */
  close(): Promise<void>
}

export interface WardenOptions {
  readonly program: WardenProgram
  /**
   * Must name this start alone and not a longer-lived thing: the warden of a process that was killed is still at work when
   * the next one starts. The warden itself does not carry it.
   */
  readonly marker: Marker
  /**
   * Called when the process that waits has ended before its time. `restarted: false`: it did so too often, and until the
   * next `own` there is none. Must not throw.
   */
  readonly onLost?: (loss: { readonly restarted: boolean }) => void
}

export function startWarden({ program, marker, onLost }: WardenOptions): Warden {
  const owned = new Map<symbol, ProcessName>()
  let losses = 0
  let closed: Promise<void> | undefined
  let current: WardenProcess | undefined

  function launch(): void {
    const began = systemClock.monotonic()
    const launched = startWardenProcess(program, marker)
    current = launched
    tell()
    void launched.ended.then(() => {
      if (closed) return
      losses = systemClock.monotonic() - began > steadyMs ? 1 : losses + 1
      current = undefined
      const restarted = losses <= maxLosses
      if (restarted) launch()
      onLost?.({ restarted })
    })
  }

  function tell(): void {
    current?.tell(formatList([...owned.values()]))
  }

  function own(leader: number): () => void {
    const key = Symbol(leader)
    const startTime = processStartTime(leader)
    owned.set(key, { pid: leader, ...(startTime !== undefined && { startTime }) })
    if (current || closed) tell()
    else launch()
    return () => {
      if (owned.delete(key)) tell()
    }
  }

  function close(): Promise<void> {
    closed ??= current?.dismiss() ?? Promise.resolve()
    return closed
  }

  launch()
  return {
    own,
    close,
    get pid() {
      return current?.pid
    },
  }
}

const maxLosses = 5
/** One that lived so long is not failing at its start. */
const steadyMs = 60_000
