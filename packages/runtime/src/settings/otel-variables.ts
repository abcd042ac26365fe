import type { Environment, Layer } from './fields.ts'

/**
 * What the standard variables of OpenTelemetry say about our settings, below all that is said to weave itself. An address
 * alone (`OTEL_EXPORTER_OTLP_ENDPOINT`) switches nothing on: it stands in many shells for other programs.
 */
export function otelVariables(environment: Environment): Layer {
  const capture =
    environment['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.trim().toUpperCase() ?? ''
  return {
    ...(listed(environment['OTEL_TRACES_EXPORTER']).includes('otlp') && {
      'otel.enabled': { value: true, origin: 'OTEL_TRACES_EXPORTER' },
    }),
    ...(capture.startsWith('SPAN_') && {
      'otel.content': { value: 'all', origin: 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT' },
    }),
    ...(listed(environment['OTEL_SEMCONV_STABILITY_OPT_IN']).includes('gen_ai_latest_experimental') && {
      'otel.names': { value: 'latest', origin: 'OTEL_SEMCONV_STABILITY_OPT_IN' },
    }),
  }
}

/** What they forbid: stronger than every layer. */
export function otelSwitches(environment: Environment): Layer {
  const off = forbidding(environment)
  return {
    ...(off && { 'otel.enabled': { value: false, origin: off } }),
    ...(listed(environment['OTEL_METRICS_EXPORTER']).includes('none') && {
      'otel.metrics': { value: false, origin: 'OTEL_METRICS_EXPORTER' },
    }),
  }
}

function forbidding(environment: Environment): `OTEL_${string}` | undefined {
  if (environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return 'OTEL_SDK_DISABLED'
  return listed(environment['OTEL_TRACES_EXPORTER']).includes('none') ? 'OTEL_TRACES_EXPORTER' : undefined
}

function listed(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').map(word => word.trim().toLowerCase())
}
