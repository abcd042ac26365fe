import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import { inTime, systemClock } from './clock.ts'
import type { Marker, ProcessKey } from './process-clues.ts'
import { processStartTime } from './process-table.ts'
import { farewell, formatList } from './warden-program.ts'

export interface WardenOptions {
  /** Calls `runWarden` with the words behind `args`. */
  readonly program: { readonly command: string; readonly args: readonly string[] }
  /** Must name this start alone: the warden of a process that was killed is still at work when the next one starts. */
  readonly marker: Marker
  /** The process that waits has ended. `restarted: false`: too often; until the next `own` there is none. Must not throw. */
  readonly onLost?: (loss: { readonly restarted: boolean }) => void
  /** Hears which groups are ours, whenever that changes. Must not throw. */
  readonly onOwned?: ((leaders: readonly number[]) => void) | undefined
}

/**
 * A small process that outlives us and ends what we own, should we end without saying so: by SIGKILL, by a crash. It waits on
 * a pipe that only we hold, then does what `runWarden` does. What it finds on which system stands in `docs/processes.md`.
 */
export function startWarden({ program, marker, onLost, onOwned }: WardenOptions) {
  const owned = new Map<symbol, ProcessKey>()
  let losses = 0
  let closed: Promise<void> | undefined
  let current: ReturnType<typeof startWardenProcess> | undefined

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

  function say(): void {
    onOwned?.([...owned.values()].map(({ pid }) => pid))
  }

  /** The returned function takes it back. Neither throws. */
  function own(leader: number): () => void {
    const key = Symbol(leader)
    const startTime = processStartTime(leader)
    owned.set(key, { pid: leader, ...(startTime !== undefined && { startTime }) })
    say()
    if (current || closed) tell()
    else launch()
    return () => {
      if (!owned.delete(key)) return
      say()
      tell()
    }
  }

  /** The normal end: nothing is ended. Never rejects. */
  function close(): Promise<void> {
    closed ??= current?.dismiss() ?? Promise.resolve()
    return closed
  }

  launch()
  return {
    own,
    close,
    /** Undefined while nobody waits. */
    get pid() {
      return current?.pid
    },
  }
}

const maxLosses = 5
/** One that lived so long is not failing at its start. */
const steadyMs = 60_000

/**
 * Where there is a shell, it waits: a megabyte instead of the forty of the program, which it runs when our end of the pipe
 * has closed. A bare environment, so that no marker is in it; its own session, so that no signal for us reaches it.
 */
function startWardenProcess(program: WardenOptions['program'], marker: Marker) {
  try {
    return attend(launch(program, marker))
  } catch {
    const ended = Promise.resolve()
    return { pid: undefined, ended, tell: () => undefined, dismiss: () => ended }
  }
}

function launch({ command, args }: WardenOptions['program'], marker: Marker): ChildProcess {
  const words = [...args, marker]
  const options: SpawnOptions = {
    ...(process.platform !== 'win32' && { cwd: '/' }),
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }
  if (!existsSync(shell)) return spawn(command, words, options)
  return spawn(shell, ['-c', script, 'warden', command, ...words], options)
}

/** Keeps our event loop alive only while `dismiss` runs. Nothing throws or rejects. */
function attend(child: ChildProcess) {
  const { stdin } = child
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  stdin?.on('error', () => undefined)
  child.unref()
  if (stdin instanceof Socket) stdin.unref()

  /** By force if it does not go. */
  async function dismiss(): Promise<void> {
    child.ref()
    stdin?.end(`${farewell}\n`)
    if (await inTime(ended, { clock: systemClock, ms: dismissedWithinMs })) return
    child.kill('SIGKILL')
    await ended
  }

  return { pid: child.pid, ended, dismiss, tell: (line: string) => void stdin?.write(`${line}\n`) }
}

const shell = '/bin/sh'
const dismissedWithinMs = 1000

/**
 * Files left open for us, a lock among them perhaps, are let go of. The last whole line counts. If the program cannot run
 * any more (removed, replaced), the shell itself ends the groups at the head of the line.
 */
const script = `
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
last=
while IFS= read -r line; do
  [ "$line" = ${farewell} ] && exit 0
  last=$line
done
"$@" "$last" && exit 0
groups=\${last%%;*}
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group"; done
`
