import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Clock, systemClock } from './clock.ts'
import { errorCode, messageOf } from './errors.ts'
import type { Marker } from './process-clues.ts'
import { endGroup, endOwned, signalGroup } from './process-sweep.ts'
import { processStartTime } from './process-table.ts'
import { type OwnGroup, watchProcess } from './process-watch.ts'

export interface LaunchOptions {
  readonly cwd?: string | undefined
  /** All of it: nothing is inherited. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Added to `env`: finds also what left the group. */
  readonly marker?: Marker | undefined
  /** Ends also what was left astray in this directory. */
  readonly premises?: string | undefined
  /** `own` of a warden; must not throw. With this or `marker` the descendants are looked up each half second. */
  readonly own?: OwnGroup | undefined
  /** Between SIGTERM and SIGKILL; 5 seconds. */
  readonly graceMs?: number | undefined
  readonly clock?: Clock | undefined
}

export interface SuperviseOptions extends LaunchOptions {
  /** `ipc`: a channel for `send` and 'message' of the child. */
  readonly stdio: readonly ('pipe' | 'ignore' | 'inherit' | 'ipc' | number)[]
  /** It reads keys from our terminal: it stays in our group, and signals reach it alone. */
  readonly sharesGroup?: boolean
}

/** How the leader of a process group ended: one shape for every ending. */
export interface ProcessEnd {
  readonly outcome: 'exited' | 'signaled' | 'failed-to-start'
  /** For `exited` only. */
  readonly code: number | null
  /** For `signaled` only. */
  readonly signal: string | null
  /** For `failed-to-start` only. */
  readonly error?: { readonly code?: string | undefined; readonly message: string }
}

/** A program that we started, and all that it starts in turn. */
export type Supervised = ReturnType<typeof supervise>

/** Between SIGTERM and SIGKILL for what a process left behind, and how long its pipes may outlast it. */
export const lingerMs = 250

const killedWithinMs = 2_000
const scanEveryMs = 500

/** Starts a program, without a shell, as the leader of its own group. One that cannot be started is an end like any other. */
export function supervise(command: string, args: readonly string[], options: SuperviseOptions) {
  const { sharesGroup = false, graceMs = 5_000, clock = systemClock } = options
  const launched = launch(command, args, options)
  const child = launched instanceof Error ? undefined : launched
  const pid = child?.pid
  const { ended, settle, over, end } = endingOf(launched, options.cwd)
  const descendants = pid === undefined ? undefined : descendantsOf(pid, options)
  let stopped: { readonly reason: unknown } | undefined
  let swept: Promise<void> | undefined

  function send(signal: NodeJS.Signals): void {
    if (pid === undefined || end()) return
    // While what the leader started can still be found through it.
    descendants?.scan()
    if (sharesGroup) child?.kill(signal)
    else signalGroup(pid, signal)
  }

  async function kill(): Promise<void> {
    send('SIGKILL')
    await clock.sleep(killedWithinMs, over).then(
      () => settle({ outcome: 'signaled', code: null, signal: 'SIGKILL' }),
      () => undefined,
    )
  }

  /** SIGTERM now, SIGKILL after the grace. Only the first call counts. */
  function stop(reason: unknown): void {
    if (stopped || end()) return
    stopped = { reason }
    send('SIGTERM')
    clock.sleep(graceMs, over).then(kill, () => undefined)
  }

  /** Once it has ended, ends all that it left behind. Never rejects. */
  function sweep(): Promise<void> {
    swept ??= ended.then(() => descendants?.sweep())
    return swept
  }

  /** For one that was given no work, so that what carries its marker is not its own: SIGKILL, to its group alone. */
  async function discard(): Promise<void> {
    await kill()
    descendants?.close()
  }

  return {
    child,
    pid,
    ended,
    stop,
    sweep,
    discard,
    pipe: (descriptor: number) => pipeOf(child, descriptor),
    /** Undefined while it runs. */
    get end() {
      return end()
    },
    /** Of the first `stop` before its end. */
    get stopped() {
      return stopped
    },
  }
}

/** Its exit, an error at its start, or a SIGKILL that takes longer than two seconds, as the system may. Never rejects. */
function endingOf(launched: ChildProcess | Error, cwd: string | undefined) {
  const over = new AbortController()
  let end: ProcessEnd | undefined
  let settle: (how: ProcessEnd) => void = () => undefined
  const ended = new Promise<ProcessEnd>(resolve => {
    settle = how => {
      end ??= how
      over.abort()
      resolve(end)
    }
  })
  if (launched instanceof Error) settle(notStarted(launched, cwd))
  else {
    // Not 'close': that waits for everyone who holds the pipes.
    launched.once('exit', (code, signal) => {
      settle({ outcome: signal === null ? 'exited' : 'signaled', code, signal })
    })
    launched.on('error', error => {
      if (launched.pid === undefined) settle(notStarted(error, cwd))
    })
  }
  return { ended, settle, over: over.signal, end: () => end }
}

/** By every clue: group, marker, descent, memory, place. */
function descendantsOf(leader: number, { marker, own, premises, sharesGroup }: SuperviseOptions) {
  const since = processStartTime(leader)
  const watch = marker === undefined && own === undefined ? undefined : watchProcess(leader, own)
  const stopScanning = watch ? systemClock.every(scanEveryMs, watch.scan) : () => undefined

  function close(): void {
    stopScanning()
    watch?.close()
  }

  /** SIGTERM to the group, a quarter of a second, SIGKILL; the same for everyone to whom another clue leads. */
  async function sweep(): Promise<void> {
    watch?.scan()
    if (!sharesGroup) await endGroup(leader, lingerMs)
    const place = premises !== undefined && since !== undefined ? { directory: premises, since } : undefined
    if (watch) await endOwned({ marker, keys: watch.keys(), premises: place }, { graceMs: lingerMs })
    close()
  }

  return { scan: () => watch?.scan(), sweep, close }
}

function launch(
  command: string,
  args: readonly string[],
  { cwd, env, marker, stdio, sharesGroup }: SuperviseOptions,
): ChildProcess | Error {
  try {
    const child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...env, ...(marker !== undefined && variableOf(marker)) },
      detached: !sharesGroup && process.platform !== 'win32',
      windowsHide: true,
      stdio: [...stdio],
    })
    // A program that does not read its input closes the pipe; that is its right.
    child.stdin?.on('error', () => undefined)
    return child
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function variableOf(marker: Marker): NodeJS.ProcessEnv {
  const cut = marker.indexOf('=')
  return { [marker.slice(0, cut)]: marker.slice(cut + 1) }
}

/** A pipe beyond the first three; none when the system had none left. One that breaks has ended like any other. */
function pipeOf(child: ChildProcess | undefined, descriptor: number): Socket | undefined {
  const pipes: readonly unknown[] = child?.stdio ?? []
  const pipe = pipes[descriptor]
  if (!(pipe instanceof Socket)) return undefined
  pipe.on('error', () => undefined)
  return pipe
}

/** The system blames the program when it is the working directory that is missing. */
function notStarted(error: Error, cwd: string | undefined): ProcessEnd {
  const code = errorCode(error)
  const cwdIsMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const message = cwdIsMissing ? `working directory ${cwd} does not exist` : messageOf(error)
  return { outcome: 'failed-to-start', code: null, signal: null, error: { message, code } }
}
