import type { FleetFigures } from './figures.ts'
import type { Histogram, Tally } from './tally.ts'

/** How a worker stands right now, and what it has done. */
export interface WorkerFigures {
  readonly slots: number
  readonly busy: number
  /** Turns that may not act, because the engine was not heard of. */
  readonly frozen: number
  readonly tally: Tally
}

/** One thing that is measured, with all its values. */
export interface Series {
  /** Without what all of them begin with. */
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly values: readonly Value[]
}

interface Value {
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly value: number | Histogram
}

/** Every state is there from the start, so that an alarm need not care whether it ever was. */
const states = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'dead']

/** Those of the worker itself, and those of the whole fleet when the engine answers. */
export function seriesOf(own: WorkerFigures, fleet: FleetFigures | undefined): readonly Series[] {
  return [
    gauge('engine_up', 'Whether the engine answers this worker.', fleet ? 1 : 0),
    gauge('slots', 'Executions that this worker runs at once, at most.', own.slots),
    gauge('slots_busy', 'Executions that this worker runs.', own.busy),
    gauge('frozen', 'Turns of this worker that stand still until the engine answers.', own.frozen),
    counter('turns_total', 'Turns that this worker has begun.', own.tally.turns),
    counter(
      'takeovers_total',
      'Those of them that went on after a turn that ended without a word.',
      own.tally.takeOvers,
    ),
    histogram(
      'publish_seconds',
      'How long this worker took to publish a head, waiting for engine and store included.',
      own.tally.publishSeconds,
    ),
    histogram('parcel_bytes', 'Sizes of the parcels that this worker put.', own.tally.parcelBytes),
    ...(fleet ? ofFleet(fleet) : []),
  ]
}

function ofFleet(fleet: FleetFigures): readonly Series[] {
  const { executions, providers } = fleet
  return [
    {
      name: 'executions',
      help: 'Executions of the fleet by state, of batches that are not closed.',
      type: 'gauge',
      values: states.map(state => ({ labels: { state }, value: executions[state] ?? 0 })),
    },
    gauge(
      'queue_age_seconds',
      'How long the execution waits that was queued first, of those that could be taken.',
      fleet.queueAgeSeconds,
    ),
    gauge('granted_dollars', 'Lent to turns that run.', fleet.grantedDollars),
    gauge(
      'spent_dollars',
      'Spent for certain, as turns say with every head and at their end.',
      fleet.spentDollars,
    ),
    gauge('doubt_dollars', 'What turns had that ended without a word.', fleet.doubtDollars),
    {
      name: 'refusals_total',
      help: 'How often a provider refused for too much.',
      type: 'counter',
      values: providers.map(({ key, refusals }) => ({ labels: { provider: key }, value: refusals })),
    },
    {
      name: 'blocked_seconds',
      help: 'How long nobody asks a provider that refused.',
      type: 'gauge',
      values: providers.map(({ key, blockedSeconds }) => ({
        labels: { provider: key },
        value: blockedSeconds,
      })),
    },
  ]
}

function gauge(name: string, help: string, value: number): Series {
  return { name, help, type: 'gauge', values: [{ value }] }
}

function counter(name: string, help: string, value: number): Series {
  return { name, help, type: 'counter', values: [{ value }] }
}

function histogram(name: string, help: string, value: Histogram): Series {
  return { name, help, type: 'histogram', values: [{ value }] }
}

/** As collectors of OpenTelemetry name them, with their units; that a count is a total they add themselves. */
export function readingsOf(series: readonly Series[]) {
  return series.map(each => ({
    ...each,
    name: `weave.fleet.${each.name.replace(/_total$/, '')}`,
    unit: units.find(([ending]) => each.name.endsWith(ending))?.[1],
  }))
}

const units = [
  ['seconds', 's'],
  ['bytes', 'By'],
  ['dollars', '{USD}'],
] as const

const prefix = 'weave_fleet_'

/** The text format of Prometheus, 0.0.4. */
export function pageOf(series: readonly Series[]): string {
  const lines = series.flatMap(({ name, help, type, values }) => [
    `# HELP ${prefix}${name} ${help}`,
    `# TYPE ${prefix}${name} ${type}`,
    ...values.flatMap(({ labels = {}, value }) =>
      typeof value === 'number' ? [line(name, labels, value)] : histogramLines(name, labels, value),
    ),
  ])
  return `${lines.join('\n')}\n`
}

function histogramLines(
  name: string,
  labels: Readonly<Record<string, string>>,
  { borders, upTo, sum, count }: Histogram,
): readonly string[] {
  return [
    ...borders.map((le, at) => line(`${name}_bucket`, { ...labels, le: String(le) }, upTo[at] ?? 0)),
    line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    line(`${name}_sum`, labels, sum),
    line(`${name}_count`, labels, count),
  ]
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const words = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${prefix}${name}${words.length === 0 ? '' : `{${words.join(',')}}`} ${value}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
