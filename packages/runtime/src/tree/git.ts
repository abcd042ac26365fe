import { nameOfBytes, replacementCharacter } from '../files/index.ts'
import { type Clock, type ProcessResult, run } from '../kit/index.ts'

export interface GitOptions {
  readonly input?: string | Uint8Array
  readonly signal?: AbortSignal | undefined
  /** Variables besides the fixed ones. */
  readonly environment?: Readonly<Record<string, string>>
  /** Told instead of collected. May throw: that ends git, and is the failure. */
  readonly onBytes?: (bytes: Buffer) => void
  /** It makes files: for nobody but their owner, whatever the umask of this process. */
  readonly writes?: boolean
  /** More bytes than this end git; what came until then is the answer. */
  readonly maxBytes?: number
}

export type GitAnswer =
  | { readonly ok: true; readonly bytes: Buffer; readonly isCut: boolean }
  | {
      readonly ok: false
      readonly message: string
      readonly code: number | null
      readonly bytes: Buffer
      /** What it wrote to stderr, up to a megabyte. */
      readonly complaints: string
    }

/** Runs one plumbing command on the store. Rejects only with the reason of the signal. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitAnswer>

export interface GitPlace {
  readonly gitDir: string
  /** Of this process: only what git needs to start at all is taken from it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/**
 * git as a store and nothing else: nothing of the user's or the agent's configuration is read, nothing of theirs is
 * run, nobody is asked, and no command has a work tree unless it is given one.
 */
export function createGit({ gitDir, environment, clock }: GitPlace): Git {
  const fixed = { ...cleanEnvironment(environment), GIT_DIR: gitDir }
  return async (args, options = {}) => {
    const { input, signal, onBytes, maxBytes = Number.POSITIVE_INFINITY } = options
    const chunks: Buffer[] = []
    let length = 0
    const words = ['git', ...gitArguments(args)]
    const [command = '', ...rest] = options.writes && hasShell ? [...privately, ...words] : words
    const result = await run(command, rest, {
      cwd: gitDir,
      env: { ...fixed, ...options.environment },
      clock,
      maxCaptureBytes: longestComplaint,
      input,
      signal,
      onBytes(stream, bytes) {
        if (stream === 'stderr') return
        if (onBytes) return onBytes(bytes)
        chunks.push(bytes)
        length += bytes.length
        if (length > maxBytes) throw new Error(enough)
      },
    })
    signal?.throwIfAborted()
    return answerOf(result, Buffer.concat(chunks))
  }
}

/** The umask of this process itself stays: files of the workspace are made with it, at the same time. */
const privately = ['/bin/sh', '-c', 'umask 077 && exec "$@"', 'sh']
const hasShell = process.platform !== 'win32'

/** Also used before there is a store. */
export function cleanEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && neededToStart.has(name.toUpperCase())) kept[name] = value
  }
  return {
    ...kept,
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
  }
}

/** Without HOME even a git that does not know GIT_CONFIG_GLOBAL finds no configuration of the user. */
const neededToStart = new Set(['PATH', 'PATHEXT', 'SYSTEMROOT', 'TMPDIR', 'TEMP', 'TMP'])

export function gitArguments(args: readonly string[]): readonly string[] {
  return [...overrides, ...args]
}

/** Said again with every command, should someone have written into the store's own configuration. */
const overrides = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'protocol.allow=never',
].flatMap(setting => ['-c', setting])

const longestComplaint = 1 << 20
const enough = 'more than was asked for'

function answerOf(result: ProcessResult, bytes: Buffer): GitAnswer {
  const isCut = result.stopped?.reason instanceof Error && result.stopped.reason.message === enough
  if (isCut || (result.code === 0 && !result.stopped)) return { ok: true, bytes, isCut }
  return { ok: false, message: failureOf(result), code: result.code, bytes, complaints: result.stderr }
}

function failureOf({ outcome, error, stopped, stderr, code, signal }: ProcessResult): string {
  if (stopped) return stopped.reason instanceof Error ? stopped.reason.message : String(stopped.reason)
  if (outcome === 'failed-to-start') return `git cannot be started: ${startFailure(error)}`
  const said = stderr.trim().split('\n').slice(-3).join(' ')
  return said || `git ended with ${signal ?? `code ${code}`}`
}

/** Whoever reads that a program cannot be started looks for the program; too many open files are something else. */
function startFailure(error: ProcessResult['error']): string {
  if (error?.code === 'EMFILE' || error?.code === 'ENFILE')
    return `there are too many open files (${error.code}). Raise the limit with ulimit -n, or end what holds them open`
  return error?.message ?? 'unknown reason'
}

/** Splits what git prints with `-z`. */
export function splitAtNul(bytes: Buffer): readonly string[] {
  if (bytes.length === 0) return []
  const text = bytes.toString()
  if (!text.includes(replacementCharacter)) return text.slice(0, -1).split('\0')
  const parts: string[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(0, from)
    const end = to === -1 ? bytes.length : to
    parts.push(nameOfBytes(bytes.subarray(from, end)))
    from = end + 1
  }
  return parts
}
