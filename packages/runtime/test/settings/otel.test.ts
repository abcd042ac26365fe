import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonEnvironment } from '../../src/settings/environment.ts'
import { layerOf } from '../../src/settings/fields.ts'
import { resolveSettings } from '../../src/settings/resolve.ts'

const file = layerOf({ otel: { enabled: false } }, 'weave.json')
const variables = layerOf({ otel: { enabled: true } }, 'WEAVE_RUNTIME_OTEL_ENABLED')
const flags = layerOf({ otel: { enabled: true } }, '--otel')

describe('the switch of OpenTelemetry', () => {
  const enabled = (layers: Parameters<typeof resolveSettings>[0]) =>
    resolveSettings(layers).sources['otel.enabled']

  verifies(
    ['otel/switch'],
    'goes by flag, variable, file and OTEL_TRACES_EXPORTER; two variables win over all',
    () => {
      expect(enabled({})).toEqual({ value: false, origin: 'default' })
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }
      expect(enabled({ environment: endpoint })).toEqual({ value: false, origin: 'default' })
      const environment = { OTEL_TRACES_EXPORTER: 'otlp' }
      expect(enabled({ environment })).toEqual({ value: true, origin: 'OTEL_TRACES_EXPORTER' })
      expect(enabled({ environment, file })).toEqual({ value: false, origin: 'weave.json' })
      const above = { value: true, origin: 'WEAVE_RUNTIME_OTEL_ENABLED' }
      expect(enabled({ environment, file, variables })).toEqual(above)
      expect(enabled({ file, variables, flags })).toEqual({ value: true, origin: '--otel' })
      for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])
        expect(enabled({ environment: off, variables, flags })).toEqual({
          value: false,
          origin: Object.keys(off)[0],
        })
      expect(enabled({ environment: { OTEL_SDK_DISABLED: 'false' }, flags })?.value).toBe(true)
      expect(enabled({ environment: { DO_NOT_TRACK: '1', CI: 'true' }, flags })?.value).toBe(true)
    },
  )

  test('content, names and metrics go by the standard variables, below what weave is told', () => {
    const environment = {
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_AND_EVENT',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'http, gen_ai_latest_experimental',
      OTEL_METRICS_EXPORTER: 'none',
    }
    const { otel } = resolveSettings({ environment }).settings
    expect(otel).toEqual({ enabled: false, content: 'all', names: 'latest', metrics: false })
    const said = layerOf({ otel: { content: 'tools', names: '1.41', metrics: true } }, 'weave.json')
    const { settings } = resolveSettings({ environment, file: said })
    expect(settings.otel).toEqual({ enabled: false, content: 'tools', names: '1.41', metrics: false })
    const events = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'EVENT_ONLY' }
    expect(resolveSettings({ environment: events }).settings.otel.content).toBe('none')
  })
})

describe('the environment of an agent', () => {
  const outside = {
    TRACEPARENT: 'of-outside',
    TRACESTATE: 'a=b',
    BAGGAGE: 'c=d',
    OTEL_EXPORTER_OTLP_HEADERS: 'key=value',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'key=value',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
  }

  verifies(
    ['otel/agents-without-headers'],
    'has the span of its attempt and no headers while spans are sent',
    () => {
      expect(codonEnvironment({ environment: outside })).toEqual(outside)
      expect(codonEnvironment({ environment: outside, traceparent: 'ours' })).toEqual({
        TRACEPARENT: 'ours',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      })
      const codon = { TRACEPARENT: 'mine', OTEL_EXPORTER_OTLP_HEADERS: 'mine=too' }
      expect(codonEnvironment({ environment: outside, codon, traceparent: 'ours' })).toMatchObject(codon)
    },
  )
})
