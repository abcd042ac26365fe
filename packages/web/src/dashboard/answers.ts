import { useEffect, useState } from 'preact/hooks'
import { ask } from './host.ts'

export interface Read<Value> {
  readonly value: Value | undefined
  readonly problem: string | undefined
  readonly isReading: boolean
}

/**
 * An answer of the host for as long as a component shows it; read again when the address or `revision` is another one. The
 * old answer stays in sight until the new one is there, unless it is of another address.
 */
export function useAnswer<Value>(address: string | undefined, revision = 0): Read<Value> {
  const [read, setRead] = useState<Read<Value> & { readonly of?: string | undefined }>(nothing)
  useEffect(() => {
    if (address === undefined) return
    const closing = new AbortController()
    // Many events at once are one reading.
    const timer = setTimeout(() => void begin(), revision === 0 ? 0 : 250)
    const begin = async (): Promise<void> => {
      const answer = await ask<Value>(address, closing.signal)
      if (closing.signal.aborted) return
      if (answer.ok) setRead({ of: address, value: answer.value, problem: undefined, isReading: false })
      else
        setRead(old => ({
          of: address,
          value: old.of === address ? old.value : undefined,
          problem: answer.message,
          isReading: false,
        }))
    }
    return () => {
      clearTimeout(timer)
      closing.abort()
    }
  }, [address, revision])
  return read.of === address && address !== undefined ? read : nothing
}

const nothing = { value: undefined, problem: undefined, isReading: true } as const
