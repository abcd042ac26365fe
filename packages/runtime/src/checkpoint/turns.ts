/** Lets work run one after another, in the order in which it was handed in. Resolves and rejects as the work does. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
