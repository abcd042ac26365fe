import { decodeKeys, flushKeys, type Key } from './keyboard.ts'

/** The part of a terminal's input stream that a face uses. */
export interface Input {
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** Escape alone is a key when nothing follows for this long. */
const escapeMs = 40

/** Raw keys until it is stopped. Returns the function that stops it. */
export function listen(input: Input, type: (keys: readonly Key[]) => void): () => void {
  let rest = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    const keys = flushKeys(rest)
    rest = ''
    if (keys.length > 0) type(keys)
  }
  const read = (chunk: Buffer | string): void => {
    clearTimeout(timer)
    const decoded = decodeKeys(rest + chunk.toString())
    rest = decoded.rest
    if (rest !== '') timer = setTimeout(flush, escapeMs)
    if (decoded.keys.length > 0) type(decoded.keys)
  }
  input.setRawMode?.(true)
  input.on('data', read)
  input.resume()
  return () => {
    clearTimeout(timer)
    input.off('data', read)
    input.pause()
    input.setRawMode?.(false)
  }
}
