import { ValueType } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, InstrumentType } from '@opentelemetry/sdk-metrics'
import { type Clock, within } from '../kit/index.ts'
import type { CollectorClient, Metrics, Posted } from './export.ts'

/** Something that somebody else measures, with all its values as they are now. Counts and histograms only grow. */
export interface Reading {
  readonly name: string
  readonly help: string
  readonly unit?: string | undefined
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly values: readonly {
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly value: number | ReadHistogram
  }[]
}

export interface ReadHistogram {
  readonly borders: readonly number[]
  /** So many were at most the border of the same place. */
  readonly upTo: readonly number[]
  readonly sum: number
  readonly count: number
}

export interface ReadingsOptions {
  readonly client: CollectorClient
  /** Tells one of several that measure the same from the others. */
  readonly instance: string
  /** Must not reject. */
  readonly read: () => Promise<readonly Reading[]>
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called when it does not work, and again only after it did. */
  readonly onProblem: (message: string) => void
}

/** Sends readings to a collector once a minute, or as often as `OTEL_METRIC_EXPORT_INTERVAL` says, and once more at the end. */
export function sendReadings(options: ReadingsOptions) {
  const { client, instance, read, clock, environment, onProblem } = options
  const resource = resourceFromAttributes({ 'service.instance.id': instance }).merge(client.origin.resource)
  const since = clock.now()
  let isBroken = false
  const say = (posted: Posted): void => {
    if (!posted.ok && !isBroken) onProblem(posted.message)
    isBroken = !posted.ok
  }
  const send = async (signal?: AbortSignal): Promise<void> => {
    const metrics = metricsOf(await read(), { since, now: clock.now() })
    const scopeMetrics = [{ scope: client.origin.scope, metrics }]
    say(await client.postMetrics({ resource, scopeMetrics }, signal))
  }
  const interval = Number(environment['OTEL_METRIC_EXPORT_INTERVAL'] || Number.NaN)
  const stop = clock.every(interval > 0 ? interval : 60_000, () => void send())
  return {
    /** Takes so many milliseconds at most. Never rejects. */
    async close(ms: number): Promise<void> {
      stop()
      await within({ clock, ms }, send, () => undefined)
      client.close()
    },
  }
}

type MetricData = Metrics['scopeMetrics'][number]['metrics'][number]

interface Times {
  readonly since: Date
  readonly now: Date
}

function metricsOf(readings: readonly Reading[], { since, now }: Times): MetricData[] {
  const times = { startTime: hrTime(since), endTime: hrTime(now) }
  return readings.map(({ name, help, unit = '', type, values }): MetricData => {
    const descriptor = { name, description: help, unit, type: instruments[type], valueType: ValueType.DOUBLE }
    const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
    const points = values.map(({ labels = {}, value }) => ({ ...times, attributes: { ...labels }, value }))
    const numbers = points.flatMap(point =>
      typeof point.value === 'number' ? [{ ...point, value: point.value }] : [],
    )
    if (type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers }
    if (type === 'counter')
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers }
    const dataPoints = points.flatMap(point =>
      typeof point.value === 'number' ? [] : [{ ...point, value: histogramOf(point.value) }],
    )
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
  })
}

const instruments = {
  gauge: InstrumentType.GAUGE,
  counter: InstrumentType.COUNTER,
  histogram: InstrumentType.HISTOGRAM,
} as const

/** Counts of each bucket by itself, and of what is above the last border. */
function histogramOf({ borders, upTo, sum, count }: ReadHistogram) {
  const counts = [...upTo, count].map((each, at, all) => each - (all[at - 1] ?? 0))
  return { buckets: { boundaries: [...borders], counts }, sum, count }
}

function hrTime(time: Date): [number, number] {
  const ms = time.getTime()
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
}
