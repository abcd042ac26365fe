import { type EventsWish, findAddress } from './addresses.ts'
import { type Answer, request } from './host.ts'

export interface SearchOptions {
  readonly wish: EventsWish
  readonly signal: AbortSignal
  /** Numbers in order; `isComplete`: those were the last of this search. */
  readonly onFound: (seqs: ArrayLike<number>, isComplete: boolean) => void
}

/**
 * What a filter lets through: sought once in what is written, then heard live. Whatever was not heard in between, while nobody saw
 * the page or its connection was lost, is sought again.
 */
export function createSearch({ wish, signal, onFound }: SearchOptions) {
  /** Of all up to here it is known whether they fit. */
  let soughtTo = 0
  let heardTo = 0
  let isHearing = false
  /** The last search came to its end. */
  let isWhole = false
  /** One after another. */
  let searches: Promise<void> = Promise.resolve()
  const ask = (): Promise<Answer<Response>> => request(findAddress(wish, soughtTo), signal)
  const take = async (found: Promise<Answer<Response>>): Promise<void> => {
    const upTo = await readFound(await found, onFound)
    isWhole = upTo > 0
    soughtTo = Math.max(soughtTo, upTo)
  }
  return {
    ask,
    take,
    /** Further searches wait for the first. */
    after(first: Promise<void>): void {
      searches = first
    },
    heard(seq: number): void {
      heardTo = seq
    },
    hearing(now: boolean): void {
      if (isHearing === now) return
      isHearing = now
      const upTo = heardTo
      searches = searches.then(() => {
        if (now) return take(ask())
        if (isWhole) soughtTo = Math.max(soughtTo, upTo)
        return undefined
      })
    },
  }
}

/** Numbers of 32 bits as they are found; a part may end within one. Returns up to where was sought; 0: who knows. */
async function readFound(answer: Answer<Response>, onFound: SearchOptions['onFound']): Promise<number> {
  const reader = answer.ok ? answer.value.body?.getReader() : undefined
  if (!answer.ok || !reader) return 0
  let rest = new Uint8Array()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const bytes = new Uint8Array(rest.length + value.length)
      bytes.set(rest)
      bytes.set(value, rest.length)
      const view = new DataView(bytes.buffer)
      const count = Math.floor(bytes.length / 4)
      onFound(
        Array.from({ length: count }, (_, at) => view.getUint32(at * 4, true)),
        false,
      )
      rest = bytes.slice(count * 4)
    }
    onFound([], true)
    return Number(answer.value.headers.get('weave-sought-to'))
  } catch {
    // Nobody waits for it any more.
    return 0
  }
}
