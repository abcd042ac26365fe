import { homedir } from 'node:os'
import { settled } from '@weave/runtime'
import type { MetricsDoor, Worker } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'
import type { OpenedFleet } from './with-fleet.ts'

interface MetricsWish {
  /** As a flag or `weave.json` says it. */
  readonly address: string
  /** Undefined: it does not work yet. */
  readonly worker: () => Worker | undefined
}

/** Opens the page of figures of a worker, and says where it is. Undefined: the address is none. */
export async function openMetrics(
  { address, worker }: MetricsWish,
  { fleet, library }: OpenedFleet,
  terminal: Terminal,
): Promise<MetricsDoor | undefined> {
  const where = library.metricsAddress(address)
  if (!where) {
    terminal.error(`--metrics: expected a port, or host:port; found ${JSON.stringify(address)}`)
    return undefined
  }
  const readFleet = library.createFigureReader(fleet.engine.database)
  const door = await library.openMetricsDoor(where, async () => {
    const figures = worker()?.figures()
    return figures ? library.pageOf(library.seriesOf(figures, await readFleet())) : ''
  })
  const { host = '127.0.0.1' } = where
  terminal.error(`Metrics    http://${host.includes(':') ? `[${host}]` : host}:${door.port}/metrics`)
  if (where.host !== undefined)
    terminal.error('           Whoever reaches this address can read the figures of the fleet there.')
  return door
}

/** As a run of this folder would send its spans. */
async function otelSettings({ texts }: Arguments) {
  const { settings } = await settled({
    flags: [],
    runtimeConfig: texts['runtime-config'],
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  return settings.otel
}

/** Sends the same to a collector of OpenTelemetry where spans are sent. Undefined: nobody wants it, or it cannot be done. */
export async function openOtelMetrics(
  { args, worker }: { readonly args: Arguments; readonly worker: Worker },
  opened: OpenedFleet,
  terminal: Terminal,
) {
  const { enabled, metrics, names } = await otelSettings(args)
  if (!enabled || !metrics) return undefined
  const { sendToCollector } = await import('./otel-metrics.ts')
  return sendToCollector({ worker, names }, opened, terminal)
}
