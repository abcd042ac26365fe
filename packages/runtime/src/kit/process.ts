import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { inTime, systemClock } from './clock.ts'
import { readOutput } from './process-output.ts'
import { type LaunchOptions, lingerMs, type ProcessEnd, type Supervised, supervise } from './supervisor.ts'

export interface ProcessOptions extends LaunchOptions {
  /** Written to its stdin, which is otherwise empty. */
  readonly input?: string | Uint8Array | undefined
  /** Already aborted: the process is not started. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** For each of stdout and stderr. */
  readonly maxCaptureBytes?: number | undefined
  /** Called with whole characters. A throw stops the process, with the error as the reason. */
  readonly onOutput?: ((stream: OutputStream, text: string) => void) | undefined
  /** The same for bytes; called before `onOutput`. */
  readonly onBytes?: ((stream: OutputStream, bytes: Buffer) => void) | undefined
}

export type OutputStream = 'stdout' | 'stderr'

export interface ProcessResult extends ProcessEnd {
  /** It was told to stop before it ended, however it then ended. The first reason wins. */
  readonly stopped?: { readonly reason: unknown }
  /** When `truncated`, its beginning and its end. */
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly durationMs: number
}

export function run(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  return start(command, args, options).done
}

/**
 * Starts a command under supervision and captures what it writes. `done` resolves once everything it left behind is swept up,
 * a quarter of a second later at most for pipes that something else holds. Never throws or rejects; no callback after `done`.
 */
export function start(command: string, args: readonly string[], options: ProcessOptions = {}) {
  const { clock = systemClock, input, signal } = options
  if (signal?.aborted) return notStarted(signal.reason)
  const began = clock.monotonic()
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const program = supervise(command, args, { ...options, stdio: [stdin, 'pipe', 'pipe'] })
  program.child?.stdin?.end(input)
  const outputs = readOutputs(program, options)
  stopWhen(program, options)

  async function finish(): Promise<ProcessResult> {
    const end = await program.ended
    await Promise.all([program.sweep(), outputs.drained()])
    const { stopped } = program
    const durationMs = clock.monotonic() - began
    return { ...end, ...(stopped && { stopped }), ...outputs.finish(), durationMs }
  }

  /** `kill` returns at once; the first reason wins, and none counts once it has ended. */
  return { pid: program.pid, done: finish(), kill: program.stop }
}

function notStarted(reason: unknown) {
  const done: ProcessResult = {
    outcome: 'failed-to-start',
    code: null,
    signal: null,
    error: { message: 'stopped before it started' },
    stopped: { reason },
    stdout: '',
    stderr: '',
    truncated: false,
    durationMs: 0,
  }
  return { pid: undefined, done: Promise.resolve(done), kill: () => undefined }
}

function stopWhen(
  { stop, ended }: Supervised,
  { signal, timeoutMs, clock = systemClock }: ProcessOptions,
): void {
  const over = new AbortController()
  void ended.then(() => over.abort())
  signal?.addEventListener('abort', () => stop(signal.reason), { once: true, signal: over.signal })
  if (timeoutMs === undefined) return
  clock.sleep(timeoutMs, over.signal).then(
    () => stop('timeout'),
    () => undefined,
  )
}

function readOutputs({ child, stop }: Supervised, options: ProcessOptions) {
  const { maxCaptureBytes = 1 << 20, onBytes, onOutput } = options
  const read = (name: OutputStream) =>
    readOutput(child?.[name] ?? Readable.from([]), maxCaptureBytes, {
      onBytes: bytes => onBytes?.(name, bytes),
      onText: text => onOutput?.(name, text),
      onListenerError: stop,
    })
  const stdout = read('stdout')
  const stderr = read('stderr')
  return {
    /** Resolves when what is still in the pipes was read. */
    async drained(): Promise<void> {
      const closed = Promise.all([stdout.closed, stderr.closed])
      if (await inTime(closed, { clock: systemClock, ms: lingerMs })) return
      // These turns let a process that was busy all the while read what had long been written.
      await setImmediate()
      await setImmediate()
    },
    finish() {
      stdout.finish()
      stderr.finish()
      const truncated = stdout.isTruncated() || stderr.isTruncated()
      return { stdout: stdout.text(), stderr: stderr.text(), truncated }
    },
  }
}
