import { type CommandType, describeEvent } from 'weave-client'
import { goOnCommand } from '../go-on.ts'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { openClient, runningServer } from './running-server.ts'

/** What a word tells a run, and how long until its effect can be expected: a rig may take its time. */
const steps = {
  next: 'codon.next',
  skip: 'codon.skip',
  redo: 'codon.redo',
} as const satisfies Record<string, CommandType>

const longestAnswer = 60_000

/** `weave next|skip|redo [execution]`: tells a run that is going on what to do, over its control socket. */
export function createSteerCommand(word: keyof typeof steps) {
  return async (args: Arguments, terminal: Terminal): Promise<ExitCode> => {
    const chosen = await chooseExecution(args, terminal, { word: args.positionals[0], prefersRunning: true })
    if (!chosen.ok) return chosen.code
    const { layout, file } = chosen
    const server = await runningServer(layout, args)
    if (!server) {
      const goOn = goOnCommand({ dir: layout.dir, isRehearsal: file?.rehearsal ?? false })
      terminal.error(`Nothing runs there.\nGo on with: ${goOn}`)
      return exitCodes.failed
    }
    const opened = await openClient(server, 'readandwrite')
    if (!opened.ok) {
      terminal.error(opened.message)
      return exitCodes.failed
    }
    const { client } = opened
    const answer = await client.send(steps[word], {}, { timeoutMs: longestAnswer })
    client.close()
    if (answer.ok) terminal.out(`${word}: ${describeEvent(answer.event)}`)
    else if (answer.code === 'TIMEOUT') terminal.out(`${word}: sent; "weave attach" shows what comes of it`)
    else terminal.error(answer.message)
    return answer.ok || answer.code === 'TIMEOUT' ? exitCodes.done : exitCodes.failed
  }
}
