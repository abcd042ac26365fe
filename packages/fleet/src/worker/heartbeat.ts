/** Several in each pass of the queue over silent jobs. */
const unheardMs = 500

/**
 * Beats again and again. An engine that does not answer is asked again soon: who is heard before the queue looks for silent jobs keeps
 * its turns, however long the engine was away. Returns what ends it.
 */
export function startHeartbeat(beat: () => Promise<void>, usualMs: number): () => void {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const later = (milliseconds: number): void => {
    if (!isOver) timer = setTimeout(next, milliseconds)
  }
  const next = (): void =>
    void beat().then(
      () => later(usualMs),
      () => later(Math.min(usualMs, unheardMs)),
    )
  later(usualMs)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
