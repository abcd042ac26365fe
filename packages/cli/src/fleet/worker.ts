import { resolve } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { readNumbers, readPools } from './numbers.ts'
import { withFleet } from './with-fleet.ts'
import { work } from './work.ts'

/** `weave worker`: takes what was submitted. */
export async function workerCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { texts } = args
  const wrong = wrongWords(args)
  if (wrong !== undefined) {
    terminal.error(wrong)
    return exitCodes.usage
  }
  const untilIdle = args.switches.has('until-idle')
  const isOnce = args.switches.has('worker-once')
  return withFleet({ args, terminal, works: true }, opened => {
    const { setting, fleet } = opened
    const read = readNumbers(args, setting)
    if ('problem' in read) {
      terminal.error(read.problem)
      return Promise.resolve(exitCodes.usage)
    }
    const { slots, lease } = read.numbers
    const named = texts['fleet-root']
    const root = named === undefined ? (setting.root ?? fleet.root) : resolve(named)
    const metrics = texts.metrics ?? setting.metrics
    const pools = (texts.pool === undefined ? setting.pools : readPools(texts.pool)) ?? ['default']
    terminal.error(`Worker     ${slots} slots, in ${root}`)
    return work({ args, slots, lease, pools, untilIdle, isOnce, root, metrics }, opened, terminal)
  })
}

/** What is wrong with the words, before anything is opened. */
function wrongWords(args: Arguments): string | undefined {
  const read = readNumbers(args)
  if ('problem' in read) return read.problem
  const { pool } = args.texts
  if (pool === undefined || readPools(pool)) return undefined
  return `--pool: expected names of small letters, digits and hyphens; found ${JSON.stringify(pool)}`
}
