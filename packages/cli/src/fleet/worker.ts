import { resolve } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { readNumbers } from './numbers.ts'
import { withFleet } from './with-fleet.ts'
import { work } from './work.ts'

/** `weave worker`: takes what was submitted. */
export async function workerCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const read = readNumbers(args)
  if ('problem' in read) {
    terminal.error(read.problem)
    return exitCodes.usage
  }
  const { slots, lease } = read.numbers
  const root = args.texts['fleet-root']
  const untilIdle = args.switches.has('until-idle')
  return withFleet({ terminal, works: true }, opened => {
    terminal.error(`Worker     ${slots} slots, in ${root ?? opened.fleet.root}`)
    return work(
      { slots, lease, untilIdle, root: root === undefined ? undefined : resolve(root) },
      opened,
      terminal,
    )
  })
}
