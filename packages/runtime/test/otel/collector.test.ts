import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { secretsOf } from '../../src/kit/index.ts'
import { collectorOf } from '../../src/otel/collector.ts'
import { isSampled, readTraceparent } from '../../src/otel/ids.ts'

describe('the collector', () => {
  test('is where the variables say, and on this machine when they say nothing', () => {
    const url = (environment: Record<string, string>, endpoint?: string) =>
      collectorOf(environment, endpoint).url
    expect(collectorOf({})).toMatchObject({
      url: 'http://localhost:4318/v1/traces',
      isNamed: false,
      problems: [],
    })
    expect(url({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/' })).toBe('https://c.example/v1/traces')
    expect(url({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.example/x' })).toBe('https://c.example/x')
    expect(url({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example' }, 'http://localhost:1/v1/traces')).toBe(
      'http://localhost:1/v1/traces',
    )
  })

  verifies(['otel/grpc'], 'is not asked by grpc, and plain http to another machine is warned of', () => {
    const problems = (environment: Record<string, string>) =>
      collectorOf(environment).problems.map(
        ({ severity, where, message }) => `${severity} ${where}: ${message}`,
      )
    expect(problems({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual([
      'error OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not built in; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    ])
    expect(problems({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.example' })).toEqual([
      expect.stringMatching(/^warning OTEL_EXPORTER_OTLP_ENDPOINT: .* c\.example without encryption/),
    ])
    expect(problems({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' })).toEqual([expect.stringMatching(/^error/)])
    expect(problems({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })).toEqual([])
    expect(problems({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })).toEqual([])
  })

  verifies(['otel/sampler'], 'gets the part of traces that the sampler keeps', () => {
    const ratio = (OTEL_TRACES_SAMPLER: string, OTEL_TRACES_SAMPLER_ARG = '') =>
      collectorOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })
    expect([
      ratio('always_on').ratio,
      ratio('always_off').ratio,
      ratio('traceidratio', '0.25').ratio,
    ]).toEqual([1, 0, 0.25])
    expect(ratio('jaeger_remote')).toMatchObject({ ratio: 1, problems: [{ severity: 'warning' }] })
    expect(ratio('traceidratio', 'half').problems).toHaveLength(1)
    const traces = Array.from({ length: 1_000 }, (_, at) =>
      (at * 2_654_435_761).toString(16).padStart(32, '0'),
    )
    const kept = traces.filter(traceId => isSampled(traceId.slice(-32), 0.25)).length
    expect(kept).toBeGreaterThan(150)
    expect(kept).toBeLessThan(350)
    expect([isSampled('f'.repeat(32), 1), isSampled('0'.repeat(32), 0)]).toEqual([true, false])
  })
})

test('a TRACEPARENT that is none is no span', () => {
  const good = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  expect(readTraceparent(good)).toEqual({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) })
  for (const bad of [undefined, '', 'x', good.replace('00-', 'ff-'), good.replace(/a/g, '0'), `${good}x`])
    expect(readTraceparent(bad)).toBeUndefined()
})

verifies(['otel/header-secrets'], 'headers for a collector are secrets, whole and one by one', () => {
  const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20abcdefgh12345678,x-tenant=me,api-key=0123456789'
  const values = secretsOf({ OTEL_EXPORTER_OTLP_HEADERS }).map(({ value }) => value)
  expect(values).toContain(OTEL_EXPORTER_OTLP_HEADERS)
  expect(values).toEqual(
    expect.arrayContaining(['Bearer abcdefgh12345678', 'abcdefgh12345678', '0123456789']),
  )
  expect(values).not.toContain('me')
})
