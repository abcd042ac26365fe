import type { SdkMessage } from './sdk-message.ts'

/** Keeps in mind which answers of the model were begun and which came to their end. */
export interface Answers {
  meet(message: SdkMessage): void
  /** There was at least one. */
  some(): boolean
  /**
   * Some were cut off, by a stop or a broken connection. The provider charges for these, but the SDK leaves them out of
   * its total.
   */
  unfinished(): boolean
}

export function createAnswers(): Answers {
  const open = new Set<string>()
  let isSome = false
  let isCut = false
  return {
    meet(message) {
      if (message.kind === 'answer') isSome = true
      if (message.kind === 'answer-grew' && message.isWhole) open.delete(message.thread)
      if (message.kind !== 'answer-began') return
      isSome = true
      isCut ||= open.has(message.thread)
      open.add(message.thread)
    },
    some: () => isSome,
    unfinished: () => isCut || open.size > 0,
  }
}
