import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type { InstrumentationScope } from '@opentelemetry/core'
import type { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { Resource } from '@opentelemetry/resources'
import type { EndedSpan } from './span.ts'

/** A span as the packages that encode it take it. */
export type ReadableSpan = Parameters<(typeof ProtobufTraceSerializer)['serializeRequest']>[0][number]

export interface SpanOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
}

export const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const
export const statusCodes = { unset: SpanStatusCode.UNSET, error: SpanStatusCode.ERROR } as const

export function readableSpan(span: EndedSpan, { resource, scope }: SpanOrigin): ReadableSpan {
  const { traceId, spanId, parentId, start, end, failure } = span
  const context = contextOf(traceId, spanId)
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(parentId !== undefined && { parentSpanContext: contextOf(traceId, parentId) }),
    startTime: hrTime(start),
    endTime: hrTime(end),
    duration: hrTime(end - start),
    ended: true,
    status: failure
      ? { code: statusCodes.error, ...(failure.message !== '' && { message: failure.message }) }
      : { code: statusCodes.unset },
    attributes: span.attributes,
    events: span.events.map(({ name, time, attributes }) => ({ name, time: hrTime(time), attributes })),
    links: span.links.map(link => ({
      context: contextOf(link.traceId, link.spanId),
      attributes: link.attributes,
    })),
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function contextOf(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED }
}

/** Seconds and nanoseconds. */
export function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)]
}
