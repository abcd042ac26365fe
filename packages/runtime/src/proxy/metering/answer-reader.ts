import { createParser } from 'eventsource-parser'
import { firstValue } from '../headers.ts'
import type { ResponseHead } from '../transport.ts'
import { unpackedInto } from '../usage-reader.ts'
import type { AnswerDialect, AnswerNotes } from './answer-dialects.ts'

/** Reads along with an answer: what it was charged for, or why it is none. */
export interface AnswerReader {
  push(bytes: Buffer): void
  /** Calls back once, when all bytes were looked at. */
  end(found: (read: ReadAnswer) => void): void
}

export interface ReadAnswer {
  readonly notes: AnswerNotes
  /** The beginning of the body of an error; empty otherwise. */
  readonly text: string
}

/** An event, or a whole answer, beyond this is not looked at. A stream that calls a tool with a file in it has long events. */
const longest = 32 << 20
const errorLength = 16_000

export function createAnswerReader({ status, headers }: ResponseHead, dialect: AnswerDialect): AnswerReader {
  const coding = (firstValue(headers, 'content-encoding') ?? 'identity').toLowerCase()
  const type = firstValue(headers, 'content-type') ?? ''
  const reader =
    status >= 400
      ? errorReader()
      : type.startsWith('text/event-stream')
        ? streamReader(dialect)
        : wholeReader(dialect)
  const unpacked = unpackedInto(coding, reader.push)
  return {
    push: bytes => unpacked?.push(bytes),
    end: found => (unpacked ? unpacked.end(() => found(reader.read())) : found({ notes: {}, text: '' })),
  }
}

interface PlainReader {
  push(bytes: Buffer): void
  read(): ReadAnswer
}

function streamReader(dialect: AnswerDialect): PlainReader {
  let notes: AnswerNotes = {}
  const parser = createParser({
    maxBufferSize: longest,
    onEvent({ data }) {
      if (mayTell.test(data))
        notes = folded(notes, data, (before, value) => dialect.fold(before, value, true))
    },
    onError: () => parser.reset(),
  })
  const decoder = new TextDecoder()
  return {
    push: bytes => parser.feed(decoder.decode(bytes, { stream: true })),
    read() {
      parser.feed('\n\n')
      return { notes, text: '' }
    },
  }
}

/** Most events of a stream are pieces of text. */
const mayTell = /"(?:usage|usageMetadata|error|responseId|model|id)"/

function wholeReader(dialect: AnswerDialect): PlainReader {
  const kept = keeping(longest)
  return {
    push: kept.push,
    read: () => ({
      notes: folded({}, kept.text(), (before, value) => dialect.fold(before, value, false)),
      text: '',
    }),
  }
}

function errorReader(): PlainReader {
  const kept = keeping(errorLength)
  return { push: kept.push, read: () => ({ notes: {}, text: kept.text() }) }
}

function keeping(most: number) {
  const pieces: Buffer[] = []
  let size = 0
  return {
    push(bytes: Buffer) {
      if (size < most) pieces.push(Buffer.from(bytes))
      size += bytes.length
    },
    text: () => Buffer.concat(pieces).toString('utf8', 0, most),
  }
}

function folded(
  notes: AnswerNotes,
  json: string,
  fold: (notes: AnswerNotes, value: unknown) => AnswerNotes,
): AnswerNotes {
  try {
    return fold(notes, JSON.parse(json))
  } catch {
    return notes
  }
}
