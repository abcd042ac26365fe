interface UndoFailure {
  readonly name: string
  readonly error: unknown
}

export type Scope = ReturnType<typeof createScope>

/**
 * An undo stack: register the undo of a thing before making the thing. Every undo runs once, the newest first, whatever the
 * others do. It may throw (the error is collected under its name), must settle, and must not wait for `close` of its own
 * scope.
 */
export function createScope() {
  const undos: { readonly name: string; readonly undo: () => void | Promise<void> }[] = []
  const failures: UndoFailure[] = []
  let work: Promise<void> | undefined
  let running = false

  /** Never throws. Once the scope is closed the undo starts before `add` returns; the next `close` has its failure. */
  function add(name: string, undo: () => void | Promise<void>): void {
    undos.push({ name, undo })
    if (work && !running) work = runAll()
  }

  /** Never rejects. A later call waits for the same work and returns every failure so far. */
  async function close(): Promise<readonly UndoFailure[]> {
    work ??= runAll()
    await work
    return [...failures]
  }

  async function runAll(): Promise<void> {
    running = true
    for (let next = undos.pop(); next; next = undos.pop()) {
      try {
        await next.undo()
      } catch (error) {
        failures.push({ name: next.name, error })
      }
    }
    running = false
  }

  /** For `await using`. Throws what nobody else would hear of: not when `close` was called before. */
  async function dispose(): Promise<void> {
    const alreadyClosed = work !== undefined
    await close()
    if (alreadyClosed || failures.length === 0) return
    const errors = failures.map(({ error }) => error)
    throw new AggregateError(errors, `could not undo: ${failures.map(({ name }) => name).join(', ')}`)
  }

  return { add, close, [Symbol.asyncDispose]: dispose }
}
