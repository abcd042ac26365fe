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

/**
 * A small process that outlives us and ends what we own, should we end without saying so: by SIGKILL, by a crash, by an
 * exit that nobody planned. It waits on a pipe that only we hold. What it then does, see `runWarden`.
 *
 * | system  | what it ends |
 * |---------|--------------|
 * | Linux   | the groups given to `own`, whatever carries the marker, and everything that came from these |
 * | macOS   | the groups given to `own` and what still has one of their members as an ancestor |
 * | Windows | the trees of the processes given to `own`, as far as the system still knows them; the system itself ends our direct children with us |
 */
export function startWarden({ program, marker, onLost }: WardenOptions) {
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

  /** Tells it of the process group that `leader` began; the returned function takes that back. Neither throws. */
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

  /** The normal end: it goes away and ends nothing. Idempotent; never rejects. */
  function close(): Promise<void> {
    closed ??= current?.dismiss() ?? Promise.resolve()
    return closed
  }

  launch()
  return {
    own,
    close,
    /** Of the process that waits now; `undefined` while there is none. */
    get pid() {
      return current?.pid
    },
  }
}

const maxLosses = 5
/** One that lived so long is not failing at its start. */
const steadyMs = 60_000

/**
 * Where there is a shell, it is what waits: a megabyte instead of the forty of the program, which it runs when our end of
 * the pipe has closed. The environment is bare, so that no marker is in it; the session is its own, so that no signal
 * meant for us reaches it. Never throws.
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

/** Nothing here keeps our event loop alive, except `dismiss` while it runs; nothing throws or rejects. */
function attend(child: ChildProcess) {
  const { stdin } = child
  /** Resolves when it has ended or could not be started. */
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  stdin?.on('error', () => undefined)
  child.unref()
  if (stdin instanceof Socket) stdin.unref()

  /** Sends it away with nothing to do, by force if it does not go. */
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
 * Files that whoever started us left open for us, a lock among them perhaps, are let go of. The last whole line is kept: what
 * we were writing when we died is not whole. If the program cannot run any more (it was removed or replaced meanwhile),
 * the groups at the head of the line are ended by the shell itself.
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
