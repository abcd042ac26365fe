import type { ProcessExit } from '@weave/protocol'
import { type Clock, type Marker, type OutputStream, type ProcessResult, run } from '../kit/index.ts'
import { createLineStream } from './line-stream.ts'

/** What every command of a codon gets. */
export interface CommandSurroundings {
  /** The whole environment, the codon's markers included. */
  readonly env: Readonly<Record<string, string>>
  /** One of these markers, with a value that only this execution has: whatever carries it is ended with the command. */
  readonly marker: Marker
  /** Told of each process group; what it returns takes that back. */
  readonly own?: ((group: number) => () => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** Between SIGTERM and SIGKILL; 5 seconds. */
  readonly graceMs?: number
  /** For each of stdout and stderr in the result. */
  readonly maxCaptureBytes?: number
}

export interface CommandRequest extends CommandSurroundings {
  readonly run: string
  readonly cwd: string
  /** The agent workspace: what the command left astray there is ended. */
  readonly agentRoot?: string
  /** Whole lines where possible. A throw stops the command, with what was thrown as the reason. */
  readonly onOutput?: ((stream: OutputStream, text: string) => void) | undefined
}

export interface CommandResult {
  readonly outcome: 'succeeded' | 'failed' | 'stopped'
  /** For people; '' when it succeeded. */
  readonly message: string
  /** Absent when it did not start. */
  readonly exit?: ProcessExit
  /** For `stopped`: the first reason. */
  readonly reason?: unknown
  /** Beginning and end when it was more than the cap. */
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly durationMs: number
}

/**
 * Runs one command line in the system's shell (`/bin/sh -c`), with closed stdin, in a process group of its own. When the
 * shell has ended, everything that it left running is ended too: a rig or a `beforeCopy` prepares files, it starts no
 * services. Never rejects.
 */
export async function runShellCommand(request: CommandRequest): Promise<CommandResult> {
  const { run: line, onOutput, env, agentRoot: premises } = request
  const { cwd, marker, own, signal, clock, graceMs, maxCaptureBytes } = request
  const lines = createLineStream((stream, text) => onOutput?.(stream, text))
  const [shell, args] = shellFor(line, env)
  const result = await run(shell, args, {
    cwd,
    env,
    marker,
    premises,
    own,
    signal,
    clock,
    graceMs,
    maxCaptureBytes,
    onOutput: lines.push,
  })
  const complaint = result.stopped ? undefined : tellRest(lines.end)
  return judged(complaint ? { ...result, stopped: complaint } : result, line)
}

function shellFor(line: string, env: CommandSurroundings['env']): readonly [string, readonly string[]] {
  if (process.platform === 'win32') return [env['ComSpec'] ?? 'cmd.exe', ['/d', '/s', '/c', line]]
  return ['/bin/sh', ['-c', line]]
}

/** The last partial line is emitted when the command is over, so a throw can only be reported in the result. */
function tellRest(end: () => void): { readonly reason: unknown } | undefined {
  try {
    end()
    return undefined
  } catch (reason) {
    return { reason }
  }
}

function judged(result: ProcessResult, line: string): CommandResult {
  const { stdout, stderr, truncated, durationMs, stopped } = result
  const exit = exitOf(result)
  const common = { stdout, stderr, truncated, durationMs, ...(exit && { exit }) }
  if (stopped) {
    return { outcome: 'stopped', message: `${quoted(line)} was stopped`, reason: stopped.reason, ...common }
  }
  if (exit?.type === 'success') return { outcome: 'succeeded', message: '', ...common }
  return { outcome: 'failed', message: `${quoted(line)} ${fate(result)}${lastWords(stderr)}`, ...common }
}

function exitOf({ outcome, code, signal }: ProcessResult): ProcessExit | undefined {
  if (outcome === 'failed-to-start') return undefined
  if (signal !== null) return { type: 'killed', signal }
  return code === 0 ? { type: 'success' } : { type: 'error', code: code ?? -1 }
}

function fate({ outcome, code, signal, error }: ProcessResult): string {
  if (outcome === 'failed-to-start') return `could not be started: ${error?.message ?? 'unknown reason'}`
  return signal === null ? `ended with code ${code}` : `was ended by ${signal}`
}

/** The last line of a failing command is most often the one that says why. */
function lastWords(stderr: string): string {
  const last = stderr.trimEnd().split('\n').at(-1)?.trim() ?? ''
  return last === '' ? '' : `: ${clipped(last, 300)}`
}

function quoted(line: string): string {
  return `command "${clipped(line.trim().replace(/\s+/g, ' '), 120)}"`
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…` : text
}
