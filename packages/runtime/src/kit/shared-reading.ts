/** Those who ask at one moment share a reading, but never one that began before they asked. */
export function createSharedReading<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Value> | undefined
  const begin = (): Promise<Value> => {
    next = undefined
    const reading = read()
    running = reading
    return reading
  }
  return () => {
    next ??= running.then(begin, begin)
    return next
  }
}
