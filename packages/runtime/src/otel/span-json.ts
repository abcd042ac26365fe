import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { hrTime, kinds, readableSpan, type SpanOrigin, statusCodes } from './readable.ts'
import type { Attributes, AttributeValue, EndedSpan, SpanEvent, SpanLink } from './span.ts'

/**
 * Requests as JSON, written straight from our own spans: the objects that the packages make on the way take most of the time
 * of an export. The text is theirs to the byte, and what stands around the spans is taken from them.
 */
export function createJsonWriter(origin: SpanOrigin): (spans: readonly EndedSpan[]) => Uint8Array {
  const around = textAround(origin)
  return spans => {
    const [first, ...others] = spans
    if (!first) return serialized(spans, origin)
    let text = around.before + spanText(first)
    for (const span of others) text += `,${spanText(span)}`
    return Buffer.from(text + around.after)
  }
}

function serialized(spans: readonly EndedSpan[], origin: SpanOrigin): Uint8Array {
  return (
    JsonTraceSerializer.serializeRequest(spans.map(span => readableSpan(span, origin))) ?? new Uint8Array()
  )
}

/** What a request says of where its spans come from, with the place left out where they stand. */
function textAround(origin: SpanOrigin): { readonly before: string; readonly after: string } {
  const request = Buffer.from(serialized([sample], origin)).toString('utf8')
  const [before = '', after = ''] = request.split(spanText(sample))
  return { before, after }
}

const sample: EndedSpan = {
  subject: 'tool',
  name: 'the span that stands for all others',
  kind: 'internal',
  traceId: '0123456789abcdef0123456789abcdef',
  spanId: '0123456789abcdef',
  start: 0,
  end: 0,
  attributes: {},
  events: [],
  links: [],
  runId: '',
  seq: 0,
  isLastOfEvent: true,
}

/** Sampled, and it is known that the parent is of this program. */
const flags = 0x101

function spanText(span: EndedSpan): string {
  const { traceId, spanId, parentId, name, kind, start, end, attributes, events, links } = span
  const parent = parentId === undefined ? '' : `"parentSpanId":"${parentId}",`
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}",${parent}"name":${JSON.stringify(name)},"kind":${kinds[kind] + 1},` +
    `"startTimeUnixNano":"${nanoseconds(start)}","endTimeUnixNano":"${nanoseconds(end)}",` +
    `"attributes":[${attributesText(attributes)}],"droppedAttributesCount":0,` +
    `"events":[${events.map(eventText).join()}],"droppedEventsCount":0,"status":{${statusText(span)}},` +
    `"links":[${links.map(linkText).join()}],"droppedLinksCount":0,"flags":${flags}}`
  )
}

function statusText({ failure }: EndedSpan): string {
  if (!failure) return `"code":${statusCodes.unset}`
  const message = failure.message === '' ? '' : `,"message":${JSON.stringify(failure.message)}`
  return `"code":${statusCodes.error}${message}`
}

function eventText({ name, time, attributes }: SpanEvent): string {
  return `{"attributes":[${attributesText(attributes)}],"name":${JSON.stringify(name)},"timeUnixNano":"${nanoseconds(time)}","droppedAttributesCount":0}`
}

function linkText({ traceId, spanId, attributes }: SpanLink): string {
  return `{"attributes":[${attributesText(attributes)}],"spanId":"${spanId}","traceId":"${traceId}","droppedAttributesCount":0,"flags":${flags}}`
}

/** Their names are those of our own tables and need no escapes. */
function attributesText(attributes: Attributes): string {
  let text = ''
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined)
      text += `${text === '' ? '' : ','}{"key":"${name}","value":{${valueText(value)}}}`
  }
  return text
}

function valueText(value: AttributeValue): string {
  if (typeof value === 'string') return `"stringValue":${JSON.stringify(value)}`
  if (typeof value === 'boolean') return `"boolValue":${value}`
  return Number.isInteger(value) ? `"intValue":${value}` : `"doubleValue":${JSON.stringify(value)}`
}

/** Of milliseconds. */
function nanoseconds(time: number): string {
  if (Number.isInteger(time) && time > 0) return `${time}000000`
  const [seconds, rest] = hrTime(time)
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(rest))
}
