import { type ExecutionLayout, readRequests, type StoredRequest } from '@weave/runtime'
import { durationText, harmlessLine, tokensText } from 'weave-client'
import type { Arguments } from '../parse-arguments.ts'
import { columns, type Terminal } from '../terminal.ts'
import { csvText } from './costs.ts'

/** `weave report --requests`: what the proxy saw. */
export async function printRequests(
  layout: Pick<ExecutionLayout, 'internals'>,
  { switches }: Pick<Arguments, 'switches'>,
  terminal: Terminal,
): Promise<void> {
  const requests = await readRequests(layout)
  if (switches.has('json')) terminal.json(JSON.stringify(requests, null, 2))
  else if (switches.has('csv')) terminal.raw(requestCsv(requests))
  else for (const line of requestLines(requests)) terminal.out(line)
}

/** What the proxy saw of each request, in lines for people, and what it comes to. */
function requestLines(requests: readonly StoredRequest[]): readonly string[] {
  if (requests.length === 0)
    return ['No request was seen: the proxy was off, or no agent asked through it. Use --proxy.']
  const failed = requests.filter(({ status, ending }) => status !== 200 || ending !== 'complete').length
  const slowest = Math.max(...requests.map(({ durationMs }) => durationMs))
  return [
    ...columns([heads, ...requests.map(cells)], ''),
    '',
    `${requests.length} requests, ${failed} without a whole answer of status 200; the longest took ${timeText(slowest)}`,
  ]
}

const heads = ['TIME', 'CODON', 'MODEL', 'STATUS', 'FIRST BYTE', 'WHOLE', 'IN', 'OUT', 'CACHE READ', 'NOTE']

function cells(request: StoredRequest): readonly string[] {
  const { time, codonId = '', model, status, firstByteMs, durationMs, tokens } = request
  return [
    time.slice(11, 23),
    harmlessLine(codonId),
    harmlessLine(model ?? `${request.method} ${request.url}`),
    status === undefined ? '-' : String(status),
    firstByteMs === undefined ? '-' : timeText(firstByteMs),
    timeText(durationMs),
    ...(tokens
      ? [tokens.inputTokens, tokens.outputTokens, tokens.cacheReadTokens].map(tokensText)
      : ['', '', '']),
    noteOf(request),
  ]
}

const endings = {
  complete: '',
  'caller-left': 'the agent left',
  'upstream-failed': 'no whole answer came',
  'proxy-failed': 'the proxy failed',
} as const

function noteOf({ ending, retryAfterMs }: StoredRequest): string {
  const wait = retryAfterMs === undefined ? '' : `asked to wait ${durationText(retryAfterMs)}`
  return [endings[ending], wait].filter(words => words !== '').join(', ')
}

function timeText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : durationText(ms)
}

/** What the proxy saw of each request, as a table for spreadsheets. */
function requestCsv(requests: readonly StoredRequest[]): string {
  return csvText([csvHeads, ...requests.map(csvRow)])
}

const csvHeads = [
  'time',
  'codon',
  'method',
  'url',
  'model',
  'stream',
  'status',
  'first_byte_ms',
  'duration_ms',
  'request_bytes',
  'response_bytes',
  'input_tokens',
  'output_tokens',
  'cache_write_tokens',
  'cache_read_tokens',
  'retry_after_ms',
  'request_id',
  'ending',
] as const

function csvRow(request: StoredRequest): readonly (string | number | undefined)[] {
  const { time, codonId, method, url, model, stream, status, tokens } = request
  return [
    time,
    codonId,
    method,
    url,
    model,
    stream === undefined ? undefined : String(stream),
    status,
    request.firstByteMs,
    request.durationMs,
    request.requestBytes,
    request.responseBytes,
    tokens?.inputTokens,
    tokens?.outputTokens,
    tokens?.cacheCreationTokens,
    tokens?.cacheReadTokens,
    request.retryAfterMs,
    request.requestId,
    request.ending,
  ]
}
