import type { Transport } from './transport.ts'

/**
 * The receiving half of a transport: keeps frames and the end until someone listens, and tells the end once.
 * Nothing is handed on after the end.
 */
export interface Inlet extends Pick<Transport, 'onMessage' | 'onClose'> {
  readonly message: (text: string) => void
  readonly end: (code: number, reason: string) => void
}

export function createInlet(): Inlet {
  let read: ((text: string) => void) | undefined
  let told: ((code: number, reason: string) => void) | undefined
  let early: string[] = []
  let ended: { readonly code: number; readonly reason: string } | undefined

  return {
    message(text) {
      if (ended) return
      if (read) read(text)
      else early.push(text)
    },
    end(code, reason) {
      if (ended) return
      ended = { code, reason }
      told?.(code, reason)
    },
    onMessage(reader) {
      read = reader
      const waiting = early
      early = []
      for (const text of waiting) reader(text)
    },
    onClose(listener) {
      told = listener
      if (ended) listener(ended.code, ended.reason)
    },
  }
}
