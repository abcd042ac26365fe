import type { StoredRequest } from '@weave/runtime'
import { csvText } from './csv-text.ts'

/** What the proxy saw of each request, as a table for spreadsheets. */
export function requestCsv(requests: readonly StoredRequest[]): string {
  return csvText([heads, ...requests.map(row)])
}

const heads = [
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

function row(request: StoredRequest): readonly (string | number | undefined)[] {
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
