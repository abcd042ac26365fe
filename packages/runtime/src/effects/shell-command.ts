import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ProcessExit } from '@weave/protocol'
import { resolveInside } from '../files/index.ts'
import {
  type Clock,
  type Marker,
  type OutputStream,
  type ProcessResult,
  type Result,
  run,
} from '../kit/index.ts'

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
  const { run: line, onOutput, env, cwd, agentRoot: premises } = request
  const { marker, own, signal, clock, graceMs, maxCaptureBytes } = request
  const lines = createLineStream((stream, text) => onOutput?.(stream, text))
  const [shell, args] = shellFor(line, env)
  const surroundings = { cwd, env, marker, premises, own, signal, clock, graceMs, maxCaptureBytes }
  const result = await run(shell, args, { ...surroundings, onOutput: lines.push })
  const complaint = result.stopped ? undefined : emitRest(lines.end)
  return judged(complaint ? { ...result, stopped: complaint } : result, line)
}

/** The system's shell, and how it is given a line. */
export function shellFor(
  line: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, readonly string[]] {
  if (process.platform === 'win32') return [env['ComSpec'] ?? 'cmd.exe', ['/d', '/s', '/c', line]]
  return ['/bin/sh', ['-c', line]]
}

/** The command is over by then, so a throw can only be reported in the result. */
function emitRest(end: () => void): { readonly reason: unknown } | undefined {
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

/** A longer line is emitted in pieces. */
const maxLine = 16 << 10
/** About so many characters of both streams together are emitted, then a line that says that output was cut. */
const maxTotal = 16 << 20

/**
 * Passes text on in whole lines where it can, several at a time when they come together: halves of lines are hard to
 * read in a log, and a secret could hide in the cut. Holds back at most one line per stream. Throws what `emit` throws.
 */
function createLineStream(emit: (stream: OutputStream, text: string) => void) {
  const held = { stdout: '', stderr: '' }
  let left = maxTotal

  function pass(stream: OutputStream, text: string): void {
    if (text === '' || left <= 0) return
    emit(stream, text)
    left -= text.length
    if (left <= 0) emit(stream, `\n[more than ${maxTotal} characters of output; the rest is not shown]\n`)
  }

  return {
    push(stream: OutputStream, text: string): void {
      const all = held[stream] + text
      const afterLines = all.lastIndexOf('\n') + 1
      const cut = all.length - afterLines > maxLine ? all.length : afterLines
      held[stream] = all.slice(cut)
      pass(stream, all.slice(0, cut))
    },
    /** Emits what is left without a line end. */
    end(): void {
      for (const stream of ['stdout', 'stderr'] as const) {
        const rest = held[stream]
        held[stream] = ''
        pass(stream, rest)
      }
    },
  }
}

/**
 * Where a command of a codon runs. `project`, "the execution directory", is the agent workspace: the template variables
 * `PROJECT_DIR` and `EXECUTION_DIR` name it too, and the runtime's own files beside it are not a
 * working directory. `lastCopied` is `target`, relative to the workspace, or the directory it is in when it is a file.
 * Never throws.
 */
export function workingDirectory(
  agentRoot: string,
  where: 'project' | 'lastCopied' | undefined,
  target: string | undefined,
): Result<{ readonly path: string }> {
  if (where !== 'lastCopied') return { ok: true, path: agentRoot }
  if (target === undefined) return { ok: false, message: 'lastCopied: nothing was copied before it' }
  const resolved = resolveInside(agentRoot, target)
  if (!resolved.ok)
    return { ok: false, message: `lastCopied: ${target} is not in the agent workspace any more` }
  const stats = lstatSync(resolved.path, { throwIfNoEntry: false })
  if (!stats) return { ok: false, message: `lastCopied: ${target} does not exist any more` }
  return { ok: true, path: stats.isDirectory() ? resolved.path : dirname(resolved.path) }
}
