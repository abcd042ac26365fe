import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { type Clock, systemClock } from '../kit/index.ts'
import type { Collector } from './collector.ts'
import { type VocabularyName, vocabularies } from './names.ts'
import { createPoster, postSettings } from './post.ts'
import { readableSpan, type SpanOrigin } from './readable.ts'
import type { EndedSpan } from './span.ts'
import { createJsonWriter } from './span-json.ts'

/**
 * The way to a collector. The packages behind it are large: import this module only with `import()`, where something is
 * sent or written. No global provider is registered, so no other package of this program begins to send.
 */
export interface CollectorOptions {
  readonly collector: Pick<Collector, 'url' | 'protocol'>
  readonly names: VocabularyName
  /** Of weave. */
  readonly version: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
}

export type Posted =
  | {
      readonly ok: true
      /** So many the collector took the request without. */
      readonly rejected: number
      readonly message?: string | undefined
    }
  | {
      readonly ok: false
      readonly status?: number | undefined
      readonly message: string
      readonly retriable: boolean
    }

export type Metrics = Parameters<(typeof ProtobufMetricsSerializer)['serializeRequest']>[0]

export interface CollectorClient {
  readonly origin: SpanOrigin
  /** Never rejects. Ends soon after an abort. */
  post(spans: readonly EndedSpan[], signal?: AbortSignal): Promise<Posted>
  postMetrics(metrics: Metrics, signal?: AbortSignal): Promise<Posted>
  /** A request as JSON without a line break in it, in UTF-8. */
  json(spans: readonly EndedSpan[]): Uint8Array
  close(): void
}

const encoders = {
  'http/protobuf': {
    traces: ProtobufTraceSerializer,
    metrics: ProtobufMetricsSerializer,
    type: 'application/x-protobuf',
  },
  'http/json': { traces: JsonTraceSerializer, metrics: JsonMetricsSerializer, type: 'application/json' },
} as const

export function openCollector(options: CollectorOptions): CollectorClient {
  const { collector, names, version, environment = process.env, clock = systemClock } = options
  const origin: SpanOrigin = {
    resource: resourceOf(version),
    scope: { name: 'weave', version, schemaUrl: vocabularies[names].schemaUrl },
  }
  const { traces, metrics, type: contentType } = encoders[collector.protocol]
  const common = { contentType, userAgent: `weave/${version}`, clock }
  const poster = createPoster({
    ...common,
    url: collector.url,
    settings: postSettings(environment, 'TRACES'),
  })
  const meters = createPoster({
    ...common,
    url: metricsUrl(environment, collector.url),
    settings: postSettings(environment, 'METRICS'),
  })
  const json = createJsonWriter(origin)
  const readable = (spans: readonly EndedSpan[]) => spans.map(span => readableSpan(span, origin))
  return {
    origin,
    async post(spans, signal) {
      const body = collector.protocol === 'http/json' ? json(spans) : traces.serializeRequest(readable(spans))
      const answer = await poster.post(body ?? nothing, signal)
      if (!answer.ok) return answer
      const { rejectedSpans: rejected, errorMessage: message } =
        partial(() => traces.deserializeResponse(answer.body).partialSuccess) ?? {}
      return { ok: true, rejected: Number(rejected ?? 0), message }
    },
    async postMetrics(given, signal) {
      const answer = await meters.post(metrics.serializeRequest(given) ?? nothing, signal)
      return answer.ok ? { ok: true, rejected: 0 } : answer
    },
    json,
    close() {
      poster.close()
      meters.close()
    },
  }
}

const nothing = new Uint8Array()

/** What `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` say wins. */
function resourceOf(version: string): Resource {
  const own = resourceFromAttributes({ 'service.name': 'weave', 'service.version': version })
  return own.merge(detectResources({ detectors: [envDetector] }))
}

/** Many collectors answer with nothing, or with a text. */
function partial<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function metricsUrl(environment: Readonly<Record<string, string | undefined>>, tracesUrl: string): string {
  const own = environment['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT']?.trim()
  const general = environment['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim()
  if (own) return own
  if (general) return `${general.replace(/\/$/, '')}/v1/metrics`
  return tracesUrl.replace(/\/v1\/traces\/?$/, '/v1/metrics')
}
