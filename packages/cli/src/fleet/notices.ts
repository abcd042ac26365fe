import {
  createRedactor,
  errorsOf,
  formatProblem,
  readNotifyFile,
  secretsOf,
  systemClock,
  tellPaused,
  wantsBatches,
} from '@weave/runtime'
import type { PausedBatch } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { notifyPath } from '../run/notify-wish.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Tells those whom the worker's user named in `~/.weave/notify.json` that a batch was paused. Undefined: there is nobody who
 * wants to know. A file that is wrong keeps nobody from working.
 */
export async function pausedTeller(args: Arguments, terminal: Terminal) {
  const { config, problems } = await readNotifyFile(notifyPath(args), { isNamed: false })
  for (const problem of problems) terminal.error(formatProblem(problem))
  if (errorsOf(problems).length > 0) terminal.error('Nobody is told of batches that are paused.')
  if (!config || errorsOf(problems).length > 0 || !wantsBatches(config)) return undefined
  return async ({ id, at, batch, name, failed }: PausedBatch): Promise<boolean> => {
    // Why they failed may be words of an agent, and those go nowhere.
    const message = `Its breaker: ${failed} of its last executions failed alike. See weave fleet status ${batch}.`
    const tried = await tellPaused(
      config,
      { id: `batch_${id}`, timestamp: new Date(at).toISOString(), batch, name, message },
      {
        environment: process.env,
        clock: systemClock,
        redactor: createRedactor(secretsOf(process.env)),
        write: process.stderr.isTTY ? bytes => void process.stderr.write(bytes) : undefined,
      },
    )
    for (const { name: target, problem } of tried)
      if (problem !== undefined) terminal.error(`A notification did not reach ${target}: ${problem}.`)
    // Where nobody wants to know of this one there is nothing to try again.
    return tried.length === 0 || tried.some(({ problem }) => problem === undefined)
  }
}
