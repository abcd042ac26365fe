import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createCappedCapture } from './capped-capture.ts'

export interface OutputListeners {
  readonly onBytes: (chunk: Buffer) => void
  readonly onText: (text: string) => void
  /** Called once, with what a listener threw; no listener is called after that, the capture goes on. */
  readonly onListenerError: (error: unknown) => void
}

export interface OutputReader {
  /** Resolves when the stream has ended, failed or been destroyed. Never rejects. */
  readonly closed: Promise<void>
  /** Destroys the stream if it is still open and tells the last text. No listener is called afterwards. */
  finish(): void
  text(): string
  readonly truncated: boolean
}

/** Reads one output stream of a process: capped capture, raw bytes, and text whose characters are never split. */
export function readOutput(stream: Readable, maxBytes: number, listeners: OutputListeners): OutputReader {
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
    closed: new Promise(resolve => stream.once('close', () => resolve())),
    finish() {
      stream.destroy()
      tellText(decoder.end())
      silent = true
    },
    text: capture.text,
    get truncated() {
      return capture.truncated
    },
  }
}

/** Keeps the last 4,000 characters of what a program says of itself, as far as `filter` lets them through. */
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
