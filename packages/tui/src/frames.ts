/** Draws when something changed, at most once in a while, and at once when a person waits for it. */
export interface Frames {
  readonly invalidate: () => void
  readonly now: () => void
  readonly close: () => void
}

export function createFrames(everyMs: number, draw: () => void): Frames {
  let timer: NodeJS.Timeout | undefined
  let last = Number.NEGATIVE_INFINITY
  let isClosed = false
  const now = (): void => {
    clearTimeout(timer)
    timer = undefined
    draw()
    // Taken after drawing: pages that take long leave as much time to everything else.
    last = performance.now()
  }
  return {
    now,
    invalidate() {
      if (!isClosed) timer ??= setTimeout(now, Math.max(0, last + everyMs - performance.now()))
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
