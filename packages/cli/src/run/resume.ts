import { newestWord } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { runCommand } from './run.ts'

/** `weave resume [execution]`: goes on with an execution, real or a rehearsal; short for `weave -e <execution>`. */
export async function resumeCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [word, ...more] = args.positionals
  const { execution = word ?? newestWord } = args.texts
  if (more.length > 0 || (word !== undefined && args.texts.execution !== undefined)) {
    terminal.error('weave resume takes one execution: its name, the beginning of it, or a path.')
    return exitCodes.usage
  }
  return runCommand({ ...args, positionals: [], texts: { ...args.texts, execution } }, terminal)
}
