import { useEffect, useState } from 'preact/hooks'
import { ask } from './host.ts'

/** Waiting between two questions of a page that asks again and again. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Returns at once when the page is in sight; nobody asks for one that is not. */
export async function untilSeen(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return
  await new Promise<void>(resolve => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export interface Polled<Value> {
  readonly value: Value | undefined
  readonly problem: string | undefined
}

const everyMs = 3_000
/** A host that is slow to answer is asked less often: it spends a tenth of its time on this. */
const share = 10

/** The answer at an address, asked for again and again while the page is in sight. The last one stays while none comes. */
export function usePolled<Value>(address: string): Polled<Value> {
  const [polled, setPolled] = useState<Polled<Value> & { readonly of?: string }>(nothing)
  useEffect(() => {
    const closing = new AbortController()
    const { signal } = closing
    const poll = async (): Promise<void> => {
      for (;;) {
        await untilSeen(signal)
        const began = performance.now()
        const answer = await ask<Value>(address, signal)
        if (signal.aborted) return
        setPolled(old => ({
          of: address,
          value: answer.ok ? answer.value : old.of === address ? old.value : undefined,
          problem: answer.ok ? undefined : answer.message,
        }))
        if (!answer.ok && answer.code === 'NO_SESSION') return
        await pause(Math.max(everyMs, share * (performance.now() - began)), signal)
        if (signal.aborted) return
      }
    }
    void poll()
    return () => closing.abort()
  }, [address])
  return polled.of === address ? polled : nothing
}

const nothing = { value: undefined, problem: undefined } as const
