import { type ExitCode, exitCodes } from '../exit.ts'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'
import { rehearseCommand } from './rehearse.ts'

/** `weave replay <recording> [hank] [data]`. */
export async function replayCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [recording, ...positionals] = args.positionals
  if (recording === undefined) {
    terminal.error(
      'Name the recording: weave replay <recording> [hank] [data]. "weave --record <dir>" makes one.',
    )
    return exitCodes.usage
  }
  return rehearseCommand({ ...args, positionals, texts: { ...args.texts, replay: recording } }, terminal)
}
