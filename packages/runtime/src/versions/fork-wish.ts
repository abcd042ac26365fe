import type { Plan } from '../plan/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { FilesAhead } from './files-ahead.ts'
import type { ForkPlace } from './fork-place.ts'
import type { ReadPlace } from './read-place.ts'

export interface ForkWish {
  /** A name of `weave checkpoints`. */
  readonly at: string
  readonly executionBaseDir: string
  /** Exactly there, instead of under the base directory. */
  readonly directory?: string | undefined
  /** Another hank goes on from there. */
  readonly takeover?: HankTakeover | undefined
  readonly withUntracked: boolean
  /** A real execution becomes a rehearsal. Rehearsals stay what they are. */
  readonly rehearse: boolean
  readonly weaveVersion: string
  /** Files that were begun before it was known what is meant. Whoever began them drops them. */
  readonly ahead?: FilesAhead | undefined
}

export interface HankTakeover {
  readonly plan: Plan
  readonly hankPath: string
  readonly hankHash: string
  readonly hankName: string
}

/** A fork that is being made. */
export interface Making {
  readonly place: ReadPlace
  readonly wish: ForkWish
  readonly point: ForkPlace
  /** What it will be called. */
  readonly dir: string
  /** Where it is made. */
  readonly part: ExecutionLayout
}
