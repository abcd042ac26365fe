import type { Clock } from '../kit/index.ts'
import type { ExecutionFile } from './execution-file.ts'
import type { ExecutionLayout } from './layout.ts'
import type { LockHolder } from './lock-file.ts'

/** What a start knows when it looks for its execution. All paths are absolute. */
export interface OpenOptions {
  readonly hankPath: string
  /** Of the hank without its `$schema`. */
  readonly hankHash: string
  readonly hankName?: string | undefined
  /** A file or a directory; undefined: no data. */
  readonly data?: string | undefined
  /** As `hashData` or, for data that moves between machines, `hashTree` gives it; `noDataHash` without data. */
  readonly dataHash: string
  readonly executionBaseDir: string
  /** `-e` */
  readonly execution?: string | undefined
  /** `--start-new` */
  readonly startNew: boolean
  /** Only an execution that is there will do: none is made. */
  readonly mustExist?: boolean | undefined
  /** `--force`; means something only together with `execution` and `startNew`. */
  readonly force: boolean
  /** False: `--no-wipe`. */
  readonly wipe: boolean
  /** `--copy`; a resumed execution keeps what it has. */
  readonly copy: boolean
  readonly rehearsal: boolean
  readonly weaveVersion: string
  readonly clock: Clock
}

export type OpenResult = OpenedExecution | OpenProblem

export interface OpenedExecution {
  /**
   * `resumed`: it has a history. Whether anything is left to do, only its state tells, and that is the caller's to look
   * at, after it has taken the lock.
   */
  readonly kind: 'created' | 'resumed'
  readonly layout: ExecutionLayout
  readonly executionFile: ExecutionFile
  /** The hank is not the one that the execution was made from; a person should agree before it goes on. */
  readonly hankChanged: boolean
  /** For people, whole sentences. */
  readonly notes: readonly string[]
}

export type OpenProblemCode =
  /** There is no execution, and none may be made. */
  | 'missing'
  /** A server is at work in the execution; `holder` says which. */
  | 'held'
  /** There is an execution already, and only `--force` may set it aside. */
  | 'needs-force'
  /** `--force` was cut short in this directory. */
  | 'set-back'
  /** A directory with things in it that are not ours. */
  | 'foreign'
  /** `execution.json`, `lock.json` or `agentRoot` is not what it should be. */
  | 'damaged'
  /** A rehearsal is not a real run. */
  | 'rehearsal'
  | 'data'
  /** The disk refuses. */
  | 'disk'

/** Why there is no execution. `message` says what is wrong, `cure` what to do; both are for people. */
export interface OpenProblem {
  readonly kind: 'problem'
  readonly code: OpenProblemCode
  readonly path: string
  readonly message: string
  readonly cure: string
  readonly holder?: LockHolder
}

export function openProblem(code: OpenProblemCode, words: Omit<OpenProblem, 'kind' | 'code'>): OpenProblem {
  return { kind: 'problem', code, ...words }
}
