import type { FlagName } from '../flags.ts'
import type { Arguments } from '../parse-arguments.ts'
import type { ExitCode } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { OpenedFleet } from './with-fleet.ts'

/** What `weave fleet <word>` is given. */
export interface Asked {
  /** Batch, execution or worker; empty when none was named and none is needed. */
  readonly target: string
  /** What else stands there. */
  readonly more: string | undefined
  readonly args: Arguments
  readonly terminal: Terminal
}

/** One word after `weave fleet`. `alone`: it is not to start an engine. */
export type Deed = DeedRow &
  (
    | { readonly run: (asked: Asked, opened: OpenedFleet) => Promise<ExitCode>; readonly alone?: never }
    | { readonly alone: (asked: Asked, loaded: Omit<OpenedFleet, 'fleet'>) => Promise<ExitCode> }
  )

interface DeedRow {
  /** What stands after the word. */
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  /** How many words it takes, at least and at most. */
  readonly words: readonly [number, number]
}
