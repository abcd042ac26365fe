import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createFold, type EndedSpan } from '../../src/otel/index.ts'
import { readableSpan, type SpanOrigin } from '../../src/otel/readable.ts'
import { createJsonWriter } from '../../src/otel/span-json.ts'
import { longStory } from './story.ts'

const origin: SpanOrigin = {
  resource: resourceFromAttributes({ 'service.name': 'weave "quoted"', 'host.cores': 2 }),
  scope: { name: 'weave', version: '1.2.3', schemaUrl: 'https://example.com/schema' },
}

function same(spans: readonly EndedSpan[]): void {
  const ours = createJsonWriter(origin)(spans)
  const theirs = JsonTraceSerializer.serializeRequest(spans.map(span => readableSpan(span, origin)))
  expect(Buffer.from(ours).toString()).toBe(Buffer.from(theirs ?? []).toString())
}

const time = fc.oneof(fc.nat(), fc.constant(1_767_225_600_000), fc.double({ min: 0, max: 4e12, noNaN: true }))
const attributes = fc.dictionary(
  fc.constantFrom('gen_ai.request.model', 'weave.cost.usd', 'weave.codon.id'),
  fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.boolean(), fc.constantFrom(-0, 1e21)),
)
const hex = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`))
const span: fc.Arbitrary<EndedSpan> = fc
  .record({
    subject: fc.constant('tool' as const),
    name: fc.string({ unit: 'binary' }),
    kind: fc.constantFrom('internal' as const, 'client' as const),
    traceId: hex(32),
    spanId: hex(16),
    parentId: fc.option(hex(16), { nil: undefined }),
    start: time,
    length: time,
    attributes,
    events: fc.array(fc.record({ name: fc.string(), time, attributes }), { maxLength: 2 }),
    links: fc.array(fc.record({ traceId: hex(32), spanId: hex(16), attributes }), { maxLength: 2 }),
    failure: fc.option(fc.record({ type: fc.string(), message: fc.string({ unit: 'binary' }) }), {
      nil: undefined,
    }),
  })
  .map(({ length, ...rest }) => ({
    ...rest,
    end: rest.start + length,
    runId: 'run_a',
    seq: 1,
    isLastOfEvent: true,
  }))

verifies(['otel/json-bytes'], "is the text of OpenTelemetry's own encoder, to the byte", () => {
  for (const names of ['1.41', 'latest'] as const) {
    const fold = createFold({ executionId: 'evt_1', names, content: 'all', rehearsal: false })
    same(longStory().events.flatMap(event => fold.add(event)))
  }
  same([])
  fc.assert(fc.property(fc.array(span, { maxLength: 5 }), same), { numRuns: 500 })
})
