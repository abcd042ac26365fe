import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

export interface OutputListeners {
  readonly onBytes: (chunk: Buffer) => void
  readonly onText: (text: string) => void
  /** Called once; no listener is called after that, the capture goes on. */
  readonly onListenerError: (error: unknown) => void
}

/** Capped capture, raw bytes, and text whose characters are never split. */
export function readOutput(stream: Readable, maxBytes: number, listeners: OutputListeners) {
  const capture = createCappedCapture(maxBytes)
  const decoder = new StringDecoder('utf8')
  let silent = false

  const tell = (call: () => void) => {
    if (silent) return
    try {
      call()
    } catch (error) {
      silent = true
      listeners.onListenerError(error)
    }
  }
  const tellText = (text: string) => {
    if (text !== '') tell(() => listeners.onText(text))
  }

  stream.on('data', (chunk: Buffer) => {
    capture.push(chunk)
    tell(() => listeners.onBytes(chunk))
    tellText(decoder.write(chunk))
  })
  // A pipe that breaks ends like any other; 'close' follows.
  stream.on('error', () => undefined)

  return {
    closed: streamClosed(stream),
    /** Hands out the last text. No listener is called afterwards. */
    finish(): void {
      stream.destroy()
      tellText(decoder.end())
      silent = true
    },
    text: capture.text,
    isTruncated: capture.isTruncated,
  }
}

/** Resolves when a stream that is still open has ended, failed or been destroyed. Never rejects. */
export function streamClosed(stream: Readable): Promise<void> {
  return new Promise(resolve => stream.once('close', () => resolve()))
}

/** Keeps the last of what a program says of itself, as far as `filter` lets it through. */
export function keepTail(stream: Readable, filter = (text: string) => text): () => string {
  let tail = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    tail = (tail + filter(text)).slice(-tailLength)
  })
  stream.on('error', () => undefined)
  return () => tail
}

export const tailLength = 4_000

/** Keeps the beginning and the end, each up to half of the cap. */
export function createCappedCapture(maxBytes: number) {
  const headLimit = Math.ceil(maxBytes / 2)
  const tailLimit = maxBytes - headLimit
  const head: Buffer[] = []
  const tail: Buffer[] = []
  let headBytes = 0
  let tailBytes = 0
  let dropped = 0

  function push(chunk: Buffer): void {
    const room = headLimit - headBytes
    if (room > 0) {
      const part = chunk.subarray(0, room)
      head.push(part)
      headBytes += part.length
    }
    if (chunk.length > room) pushTail(chunk.subarray(Math.max(room, 0)))
  }

  function pushTail(chunk: Buffer): void {
    tail.push(chunk)
    tailBytes += chunk.length
    for (let first = tail[0]; first && tailBytes - first.length >= tailLimit; first = tail[0]) {
      tail.shift()
      tailBytes -= first.length
      dropped += first.length
    }
  }

  /** With a line that says how much is missing. No character is cut in two. */
  function text(): string {
    const first = Buffer.concat(head)
    const last = Buffer.concat(tail)
    if (!isTruncated()) return Buffer.concat([first, last]).toString()
    const beginning = withoutCutEnd(first)
    const end = withoutCutStart(last.subarray(Math.max(0, last.length - tailLimit)))
    const missing = dropped + first.length + last.length - beginning.length - end.length
    return `${beginning.toString()}\n[${missing} bytes left out]\n${end.toString()}`
  }

  const isTruncated = () => dropped > 0 || tailBytes > tailLimit

  return { push, text, isTruncated }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}

/** Leaves out a last character whose bytes are not all there. */
function withoutCutEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--
  const present = bytes.length - lead
  return present < sequenceLength(bytes[lead]) ? bytes.subarray(0, lead) : bytes
}

function sequenceLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}
