import type { ServerEvent } from '@weave/protocol'
import type { SendFailure } from './pending-commands.ts'

/** One part of the journal, or, as the last item, why the rest did not come. */
export type HistoryBatch =
  | { readonly ok: true; readonly events: readonly ServerEvent[]; readonly hasMore: boolean }
  | SendFailure

export interface HistoryQueue {
  readonly push: (batch: HistoryBatch) => void
  /** After the last batch. */
  readonly end: () => void
  /** For one reader. Ending the loop early drops what is still to come. */
  readonly batches: AsyncIterableIterator<HistoryBatch>
}

/** Batches come when the server sends them and wait here until they are read. */
export function createHistoryQueue(): HistoryQueue {
  let waiting: HistoryBatch[] = []
  let ended = false
  let wake = (): void => {}

  const next = async (): Promise<IteratorResult<HistoryBatch, undefined>> => {
    for (;;) {
      const value = waiting.shift()
      if (value) return { done: false, value }
      if (ended) return { done: true, value: undefined }
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  const end = (): void => {
    ended = true
    wake()
  }

  return {
    push(batch) {
      if (ended) return
      waiting.push(batch)
      wake()
    },
    end,
    batches: {
      next,
      return: () => {
        waiting = []
        end()
        return Promise.resolve({ done: true, value: undefined })
      },
      [Symbol.asyncIterator]() {
        return this
      },
    },
  }
}
