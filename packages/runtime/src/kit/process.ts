import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Clock, systemClock } from './clock.ts'
import { errorCode } from './error-code.ts'
import { endGroup } from './process-group.ts'
import { processStartTime } from './process-identity.ts'
import type { Marker } from './process-marker.ts'
import { type OutputReader, readOutput } from './process-output.ts'
import type { ProcessResult } from './process-result.ts'
import { createStopper } from './process-stop.ts'
import { endOwned } from './process-sweep.ts'
import { type OwnGroup, type ProcessWatch, watchProcess } from './process-watch.ts'

export interface ProcessOptions {
  readonly cwd?: string
  /** The whole environment of the process: nothing is inherited that is not in here. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Written to its stdin, which is then closed. Without it stdin is empty from the start. */
  readonly input?: string | Uint8Array
  /** Stops the process with the signal's reason. Already aborted: the process is not started. */
  readonly signal?: AbortSignal
  /** Stops the process with the reason 'timeout'. */
  readonly timeoutMs?: number
  /** How long a process that is being stopped may take before it is killed. */
  readonly graceMs?: number
  /** For each of stdout and stderr. */
  readonly maxCaptureBytes?: number
  /**
   * Called with text as it comes, whole characters only. Should not throw: a throw stops the process, with the error as
   * the reason, and ends the calls for that stream.
   */
  readonly onOutput?: (stream: OutputStream, text: string) => void
  /** The same for the bytes as they come; called before `onOutput`. */
  readonly onBytes?: (stream: OutputStream, bytes: Buffer) => void
  /** End what the process started and left running, also when it ended by itself. */
  readonly killGroupOnExit?: boolean
  /** `NAME=value`, added to `env`: with `killGroupOnExit`, finds also what left the group (see `findMarked`). */
  readonly marker?: Marker
  /** With `killGroupOnExit`, ends also what the process left astray in this directory or below (see `findStrays`). */
  readonly premises?: string
  /**
   * Told the group of the process, and those of its descendants that left it: `own` of a `Warden`. Must not throw. With
   * this or `marker` the descendants are looked up each half second, and end with the process wherever they went.
   */
  readonly own?: OwnGroup
  /** For `timeoutMs`, `graceMs` and the duration. */
  readonly clock?: Clock
}

export type OutputStream = 'stdout' | 'stderr'

export interface ProcessHandle {
  /** Undefined when it did not start. */
  readonly pid: number | undefined
  /** Never rejects. See `start`. */
  readonly done: Promise<ProcessResult>
  /** Asks it to stop. Returns at once, never throws; the first reason wins, and none counts once it has ended. */
  kill(reason: unknown): void
}

/** `start`, when only the end is of interest. Never rejects. */
export function run(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  return start(command, args, options).done
}

/**
 * Starts a program, without a shell, as the leader of its own process group. Never throws: a program that cannot be
 * started is a result like any other.
 *
 * Stopping: SIGTERM to the group, `graceMs`, SIGKILL to the group. When the leader has ended, members that are left get
 * SIGTERM and a quarter of a second, then SIGKILL, then come those that `marker` and the looks find. `done` does not wait
 * for pipes that something else holds open longer than that quarter of a second. No callback is called after `done`.
 */
export function start(command: string, args: readonly string[], options: ProcessOptions = {}): ProcessHandle {
  const { signal, clock = systemClock } = options
  const began = clock.monotonic()
  const timed = (ending: Ending): ProcessResult => ({ ...ending, durationMs: clock.monotonic() - began })
  if (signal?.aborted) {
    const error = { message: 'stopped before it started' }
    return notStarted(timed({ ...failure(error), stopped: { reason: signal.reason } }))
  }
  try {
    return supervise(launch(command, args, options), options, timed)
  } catch (error) {
    return notStarted(timed(failure(describe(error, options.cwd))))
  }
}

type Ending = Omit<ProcessResult, 'durationMs'>

const defaultGraceMs = 5000
const defaultCaptureBytes = 1 << 20
const lingerMs = 250
const lookEveryMs = 500

function launch(command: string, args: readonly string[], options: ProcessOptions): ChildProcess {
  const child = spawn(command, args, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: environmentOf(options),
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  // A program that does not read its input closes the pipe; that is its right.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input)
  return child
}

function supervise(
  child: ChildProcess,
  options: ProcessOptions,
  timed: (ending: Ending) => ProcessResult,
): ProcessHandle {
  const { signal, timeoutMs, graceMs = defaultGraceMs, clock = systemClock } = options
  const ended = new AbortController()
  const watch = watchOf(child.pid, options, ended.signal)
  const since = child.pid === undefined ? undefined : processStartTime(child.pid)
  const stopper = createStopper({
    leader: child.pid,
    graceMs,
    clock,
    beforeSignal: watch?.look,
    ended: ended.signal,
  })
  const read = (name: OutputStream) =>
    readOutput(child[name] ?? Readable.from([]), options.maxCaptureBytes ?? defaultCaptureBytes, {
      onBytes: bytes => options.onBytes?.(name, bytes),
      onText: text => options.onOutput?.(name, text),
      onListenerError: stopper.stop,
    })
  const stdout = read('stdout')
  const stderr = read('stderr')
  signal?.addEventListener('abort', () => stopper.stop(signal.reason), { once: true, signal: ended.signal })
  if (timeoutMs !== undefined) {
    const timeout = clock.sleep(timeoutMs, ended.signal)
    timeout.then(
      () => stopper.stop('timeout'),
      () => undefined,
    )
  }

  async function finish(): Promise<ProcessResult> {
    const ending = await endOf(child, options.cwd)
    ended.abort()
    const sweep = (options.killGroupOnExit ?? true) || stopper.stopped !== undefined
    if (child.pid !== undefined) {
      await settle(child.pid, [stdout, stderr], sweep ? { ...options, watch, since } : undefined)
    }
    watch?.close()
    stdout.finish()
    stderr.finish()
    return timed({
      ...ending,
      ...(stopper.stopped && { stopped: stopper.stopped }),
      stdout: stdout.text(),
      stderr: stderr.text(),
      truncated: stdout.truncated || stderr.truncated,
    })
  }

  return { pid: child.pid, done: finish(), kill: stopper.stop }
}

function watchOf(
  leader: number | undefined,
  { marker, own }: ProcessOptions,
  ended: AbortSignal,
): ProcessWatch | undefined {
  if (leader === undefined || (marker === undefined && own === undefined)) return undefined
  const watch = watchProcess(leader, own)
  ended.addEventListener('abort', systemClock.every(lookEveryMs, watch.look), { once: true })
  return watch
}

/** 'exit', not 'close': the latter waits for everyone who holds the pipes. */
function endOf(child: ChildProcess, cwd: string | undefined): Promise<Ending> {
  return new Promise(resolve => {
    child.once('exit', (code, signal) => {
      resolve({ ...blank, outcome: signal === null ? 'exited' : 'signaled', code, signal })
    })
    child.on('error', error => {
      if (child.pid === undefined) resolve(failure(describe(error, cwd)))
    })
  })
}

interface Sweep extends Pick<ProcessOptions, 'marker' | 'premises'> {
  readonly watch: ProcessWatch | undefined
  /** When the leader began. */
  readonly since: string | undefined
}

/** Reads what is still in the pipes and, if asked to, ends what the leader left behind. */
async function settle(
  leader: number,
  outputs: readonly OutputReader[],
  sweep: Sweep | undefined,
): Promise<void> {
  sweep?.watch?.look()
  const drained = new AbortController()
  const closed = Promise.all(outputs.map(output => output.closed))
  await Promise.all([
    sweep && endGroup(leader, lingerMs),
    Promise.race([closed, lingered(drained.signal)]).finally(() => drained.abort()),
  ])
  if (!sweep?.watch) return
  const { marker, watch, premises: directory, since } = sweep
  const premises = directory !== undefined && since !== undefined ? { directory, since } : undefined
  await endOwned({ marker, names: watch.names(), premises }, { graceMs: lingerMs })
}

/** The turns at the end let a process that was busy all the while read what had long been written. */
async function lingered(drained: AbortSignal): Promise<void> {
  await systemClock.sleep(lingerMs, drained).catch(() => undefined)
  await setImmediate()
  await setImmediate()
}

function environmentOf({ env, marker }: ProcessOptions): NodeJS.ProcessEnv {
  if (marker === undefined) return { ...env }
  const cut = marker.indexOf('=')
  return { ...env, [marker.slice(0, cut)]: marker.slice(cut + 1) }
}

const blank = { code: null, signal: null, stdout: '', stderr: '', truncated: false }

function failure(error: NonNullable<ProcessResult['error']>): Ending {
  return { ...blank, outcome: 'failed-to-start', error }
}

function notStarted(result: ProcessResult): ProcessHandle {
  return { pid: undefined, done: Promise.resolve(result), kill: () => undefined }
}

/** The system blames the program when it is the working directory that is missing. */
function describe(error: unknown, cwd: string | undefined): NonNullable<ProcessResult['error']> {
  const code = errorCode(error)
  const cwdIsMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const message = cwdIsMissing ? `working directory ${cwd} does not exist` : String(error)
  return { message, ...(code !== undefined && { code }) }
}
