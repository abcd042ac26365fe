import {
  collectorOf,
  errorsOf,
  formatProblem,
  openCollector,
  sendReadings,
  systemClock,
} from '@weave/runtime'
import type { Worker } from 'weave-fleet'
import { version } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { OpenedFleet } from './with-fleet.ts'

interface Measured {
  readonly worker: Worker
  readonly names: Parameters<typeof openCollector>[0]['names']
}

/** Sends the figures of a worker to the collector of the standard variables. Undefined: it was said why not. */
export function sendToCollector(
  { worker, names }: Measured,
  { fleet, library }: OpenedFleet,
  terminal: Terminal,
) {
  const collector = collectorOf(process.env)
  for (const problem of collector.problems) terminal.error(formatProblem(problem))
  if (errorsOf(collector.problems).length > 0) {
    terminal.error('No metrics are sent.')
    return undefined
  }
  const readFleet = library.createFigureReader(fleet.engine.database)
  return sendReadings({
    client: openCollector({ collector, names, version }),
    instance: worker.id,
    read: async () => library.readingsOf(library.seriesOf(worker.figures(), await readFleet())),
    clock: systemClock,
    environment: process.env,
    onProblem: message => terminal.error(`Metrics were not sent: ${message}.`),
  })
}
