import { setTimeout as delay } from 'node:timers/promises'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { batchLine } from './status-lines.ts'
import type { OpenedFleet } from './with-fleet.ts'

const lookMs = 1_000

/** Says how a batch stands whenever that changes, until nothing of it is queued or runs any more. */
export async function watchBatch(
  { batch, isJson }: { readonly batch: string; readonly isJson: boolean },
  { fleet, library }: OpenedFleet,
  terminal: Terminal,
): Promise<ExitCode> {
  let said = ''
  for (;;) {
    const found = await library.batchStatus(fleet.engine, batch)
    const { forecast } = found
    const line = `${batchLine(found)}${forecast === null ? '' : `, until about ${forecast.slice(0, 16).replace('T', ' ')} UTC`}`
    const text = isJson
      ? JSON.stringify({ ...found, forecast: undefined, endsPerHour: undefined })
      : batchLine(found)
    if (text !== said) {
      if (isJson) terminal.json(JSON.stringify(found))
      else terminal.out(line)
    }
    said = text
    const { queued = 0, running = 0 } = found.counts
    if (queued + running === 0) return codeOf(found.counts)
    if (found.state !== 'open' && running === 0) {
      terminal.error(
        `${batch} is ${found.state}: ${found.pauseReason ?? ''}. Go on with: weave fleet resume ${batch}`,
      )
      return exitCodes.failed
    }
    await delay(lookMs)
  }
}

/** What the states of a batch that has come to rest mean for who waited. */
export function codeOf(counts: Readonly<Record<string, number>>): ExitCode {
  const { succeeded = 0, waiting = 0 } = counts
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (succeeded === total) return exitCodes.done
  return succeeded + waiting === total ? exitCodes.waits : exitCodes.failed
}
