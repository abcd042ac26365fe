import type { FlagName } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ExitCode } from './program.ts'
import type { Terminal } from './terminal.ts'

/** A command: how it is called, what it takes, and where it is loaded from when it runs. */
export interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  /** Not for people, so not in help. */
  readonly hidden?: true
  readonly load: () => Promise<(args: Arguments, terminal: Terminal) => Promise<ExitCode>>
}
