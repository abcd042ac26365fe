import type { FlagName } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ExitCode } from './program.ts'
import type { Terminal } from './terminal.ts'

/** One command: what people read of it, which flags it takes, and what it does, loaded only when it runs. */
export interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  /** Not for people, so not in help. */
  readonly hidden?: true
  /** What is loaded may differ with what is asked for. */
  readonly load: (args: Arguments) => Promise<(args: Arguments, terminal: Terminal) => Promise<ExitCode>>
}
