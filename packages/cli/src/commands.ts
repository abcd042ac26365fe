import type { ExitCode } from './exit.ts'
import type { FlagName } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import type { Terminal } from './terminal.ts'

/** TABLE of the commands. Each is loaded only when it runs. A command that does not exist yet is not here. */
export interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  readonly load: () => Promise<(args: Arguments, terminal: Terminal) => Promise<ExitCode>>
}

export const defaultCommand = 'run'

export const commands: Readonly<Record<string, CommandRow>> = {
  run: {
    usage: 'weave [hank] [options]',
    summary: 'run a hank',
    flags: ['execution', 'json', 'scripted', 'help', 'version'],
    load: async () => (await import('./run.ts')).runCommand,
  },
}
