import type { StoredRequest } from '@weave/runtime'
import { durationText, harmlessLine, tokensText } from 'weave-client'
import { columns } from '../columns.ts'

/** What the proxy saw of each request, in lines for people, and what it comes to. */
export function requestLines(requests: readonly StoredRequest[]): readonly string[] {
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
