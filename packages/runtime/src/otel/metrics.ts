import { type Attributes, ValueType } from '@opentelemetry/api'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { type Clock, type Log, within } from '../kit/index.ts'
import type { CollectorClient } from './export.ts'
import { type MetricNames, names, type VocabularyName, vocabularies } from './names.ts'
import type { AttributeValue, EndedSpan } from './span.ts'

export interface LiveMetrics {
  /** Only of what ended in this process: metrics cannot be dated back. */
  record(span: EndedSpan): void
  /** Sends what is there, within so many milliseconds. Never rejects. */
  close(ms: number): Promise<void>
}

export interface LiveMetricsOptions {
  readonly client: CollectorClient
  readonly names: VocabularyName
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Pick<Log, 'debug'>
}

/** The buckets that the conventions ask for. */
const tokenBuckets = [
  1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
]
const secondBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Tokens and durations of what ends while a run goes on, sent once a minute and at the end. */
export function openLiveMetrics({
  client,
  names: version,
  clock,
  environment,
  log,
}: LiveMetricsOptions): LiveMetrics {
  const reader = new Reader()
  const { resource, scope } = client.origin
  const provider = new MeterProvider({ resource, readers: [reader] })
  const meter = provider.getMeter(scope.name, scope.version, { schemaUrl: scope.schemaUrl ?? '' })
  const instruments = createInstruments(meter, vocabularies[version].metrics)
  const interval = Number(environment['OTEL_METRIC_EXPORT_INTERVAL'] || Number.NaN)
  let hasNews = false

  const send = async (signal?: AbortSignal): Promise<void> => {
    if (!hasNews) return
    hasNews = false
    const { resourceMetrics } = await reader.collect()
    const posted = await client.postMetrics(resourceMetrics, signal)
    if (posted.ok) return
    hasNews = true
    log.debug('OTEL', `metrics were not sent: ${posted.message}`)
  }
  const stop = clock.every(interval > 0 ? interval : 60_000, () => void send().catch(() => undefined))
  return {
    record(span) {
      hasNews = true
      instruments(span)
    },
    async close(ms) {
      stop()
      await within(
        { clock, ms },
        async signal => send(signal).catch(() => undefined),
        () => undefined,
      )
      client.close()
    },
  }
}

type Meter = ReturnType<MeterProvider['getMeter']>

function createInstruments(meter: Meter, metrics: MetricNames): (span: EndedSpan) => void {
  const seconds = (name: string) =>
    meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries: secondBuckets } })
  const tokens = (name: string) =>
    meter.createHistogram(name, {
      unit: '{token}',
      valueType: ValueType.INT,
      advice: { explicitBucketBoundaries: tokenBuckets },
    })
  const counts = (name: string) => meter.createHistogram(name, { unit: '{call}', valueType: ValueType.INT })
  const durations = {
    chat: seconds(metrics.chatDuration),
    attempt: seconds(metrics.agentDuration),
    tool: seconds(metrics.toolDuration),
    run: metrics.workflowDuration === undefined ? undefined : seconds(metrics.workflowDuration),
  }
  const usage = usageInstruments(meter, metrics, tokens)
  const calls = metrics.callsOfAgent === undefined ? undefined : counts(metrics.callsOfAgent)
  const uses = metrics.toolsOfAgent === undefined ? undefined : counts(metrics.toolsOfAgent)
  return span => {
    const { subject, start, end } = span
    if (subject === 'rig' || subject === 'rollback' || subject === 'sentinel') return
    const about = dimensions(span)
    durations[subject]?.record((end - start) / 1000, about)
    if (span.usage) usage(span.usage, about)
    if (subject !== 'attempt') return
    calls?.record(Number(span.attributes['weave.codon.turns']), about)
    uses?.record(Number(span.attributes['weave.codon.tools']), about)
  }
}

function usageInstruments(
  meter: Meter,
  metrics: MetricNames,
  histogram: (name: string) => ReturnType<Meter['createHistogram']>,
) {
  const { tokens, counters, perCall } = metrics
  const all = tokens === undefined ? undefined : histogram(tokens)
  const inputs = perCall && histogram(perCall.input)
  const outputs = perCall && histogram(perCall.output)
  const counter = (name: string) => meter.createCounter(name, { unit: '{token}', valueType: ValueType.INT })
  const sums = counters && {
    input: counter(counters.input),
    output: counter(counters.output),
    cacheRead: counter(counters.cacheRead),
    cacheWrite: counter(counters.cacheWrite),
  }
  return (usage: NonNullable<EndedSpan['usage']>, about: Attributes): void => {
    const { cacheCreationTokens, cacheReadTokens, outputTokens } = usage
    const input = usage.inputTokens + cacheCreationTokens + cacheReadTokens
    all?.record(input, { ...about, [names.tokenType]: 'input' })
    all?.record(outputTokens, { ...about, [names.tokenType]: 'output' })
    inputs?.record(input, about)
    outputs?.record(outputTokens, about)
    sums?.input.add(input, about)
    sums?.output.add(outputTokens, about)
    sums?.cacheRead.add(cacheReadTokens, about)
    sums?.cacheWrite.add(cacheCreationTokens, about)
  }
}

const kept = [
  names.operation,
  names.provider,
  names.requestModel,
  names.responseModel,
  names.agent,
  names.workflow,
  names.tool,
  names.errorType,
] as const

/** Few and bounded: nothing that differs from run to run. */
function dimensions({ attributes }: EndedSpan): Attributes {
  const about: Record<string, AttributeValue> = {}
  for (const name of kept) if (attributes[name] !== undefined) about[name] = attributes[name]
  return about
}
