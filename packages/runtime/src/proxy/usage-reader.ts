import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { TokenCounts } from '@weave/protocol'
import { createParser } from 'eventsource-parser'
import { isObject } from '../kit/index.ts'
import { firstValue } from './headers.ts'
import type { ResponseHead } from './transport.ts'

/** Finds out what an answer of the messages API was charged for, by reading along. */
export interface UsageReader {
  push(bytes: Buffer): void
  /** Calls back once, with what was found; never before all bytes were looked at. */
  end(found: (tokens: TokenCounts | undefined) => void): void
}

/** A line of a stream, or a whole answer, beyond this is not looked at: usage stands in short ones. */
const longest = 1 << 20

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const

/** Undefined for an answer that holds no usage, or none that can be read. */
export function createUsageReader({ status, headers }: ResponseHead): UsageReader | undefined {
  const type = firstValue(headers, 'content-type') ?? ''
  const coding = (firstValue(headers, 'content-encoding') ?? 'identity').toLowerCase()
  const reader = type.startsWith('text/event-stream')
    ? streamReader()
    : type.startsWith('application/json')
      ? wholeReader()
      : undefined
  if (status !== 200 || !reader) return undefined
  const unpacked = unpackedInto(coding, reader.push)
  return unpacked && { push: unpacked.push, end: found => unpacked.end(() => found(reader.tokens())) }
}

interface PlainReader {
  push(bytes: Buffer): void
  tokens(): TokenCounts | undefined
}

/** `end` calls back once all that was pushed has been handed on. */
interface Unpacker {
  push(bytes: Buffer): void
  end(done: () => void): void
}

/** Hands a body on as it was before its coding; undefined for a coding that is not known. */
export function unpackedInto(coding: string, take: (bytes: Buffer) => void): Unpacker | undefined {
  if (coding === 'identity') return { push: take, end: done => done() }
  return coding === 'gzip' || coding === 'deflate' || coding === 'br'
    ? decoded(decoders[coding], take)
    : undefined
}

/** A copy of the bytes is unpacked; those that travel stay as they are. */
function decoded(create: () => ReturnType<typeof createGunzip>, take: (bytes: Buffer) => void): Unpacker {
  const decoder = create()
  let isBroken = false
  decoder.on('data', take)
  decoder.on('error', () => {
    isBroken = true
  })
  return {
    push(bytes) {
      if (!isBroken) decoder.write(bytes)
    },
    end(done) {
      decoder.once('close', done)
      decoder.end()
      if (isBroken) decoder.destroy()
    },
  }
}

/** Of a stream: `message_start` says what went in, every `message_delta` how much came out until then. */
function streamReader(): PlainReader {
  let counts: Readonly<Record<string, unknown>> | undefined
  const parser = createParser({
    maxBufferSize: longest,
    onEvent({ data }) {
      const usage = usageOf(data)
      if (usage) counts = { ...counts, ...usage }
    },
    // Too long for an event that holds usage: goes on with the next one.
    onError: () => parser.reset(),
  })
  return {
    // The parser looks for line ends only, and usage is ASCII: no character need be whole.
    push: bytes => parser.feed(bytes.toString('latin1')),
    tokens() {
      parser.feed('\n\n')
      return counts && tokenCounts(counts)
    },
  }
}

function wholeReader(): PlainReader {
  const pieces: Buffer[] = []
  let size = 0
  return {
    push(bytes) {
      size += bytes.length
      if (size <= longest) pieces.push(bytes)
    },
    tokens() {
      const [only] = pieces
      const whole = pieces.length === 1 ? only : Buffer.concat(pieces)
      const usage =
        size <= longest && whole?.includes('"usage"') ? usageOf(whole.toString('utf8')) : undefined
      return usage && tokenCounts(usage)
    },
  }
}

function usageOf(json: string): Readonly<Record<string, unknown>> | undefined {
  if (!json.includes('"usage"')) return undefined
  try {
    const value: unknown = JSON.parse(json)
    if (!isObject(value)) return undefined
    const message = isObject(value['message']) ? value['message'] : value
    const usage = message['usage'] ?? value['usage']
    return isObject(usage) ? usage : undefined
  } catch {
    return undefined
  }
}

function tokenCounts(usage: Readonly<Record<string, unknown>>): TokenCounts {
  const count = (key: string): number => {
    const value = usage[key]
    return typeof value === 'number' && value >= 0 ? value : 0
  }
  return {
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    cacheCreationTokens: count('cache_creation_input_tokens'),
    cacheReadTokens: count('cache_read_input_tokens'),
  }
}
