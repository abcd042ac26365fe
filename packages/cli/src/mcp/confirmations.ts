import { randomBytes } from 'node:crypto'
import type { Clock } from '@weave/runtime'

/** What a yes is about. One that was given to something else, or before something happened, does not count. */
export interface Matter {
  readonly tool: string
  /** The execution directory. */
  readonly execution: string
  /** A sha, or the word of a command. */
  readonly what: string
  /** What the execution had come to: its last event, or its run. */
  readonly at: string
}

/** `preview`: whoever got it has seen what would be done. `asked`: a person is being asked. */
type Kind = 'preview' | 'asked'

interface Given {
  readonly kind: Kind
  readonly about: string
  readonly until: number
}

export type Confirmations = ReturnType<typeof createConfirmations>

const lifetimeMs = 600_000
const mostOpen = 200

/** Tokens for one use, good for ten minutes and for one matter alone. */
export function createConfirmations(clock: Pick<Clock, 'monotonic'>) {
  const open = new Map<string, Given>()
  return {
    give(kind: Kind, matter: Matter): string {
      const token = randomBytes(18).toString('base64url')
      open.set(token, { kind, about: textOf(matter), until: clock.monotonic() + lifetimeMs })
      const [oldest] = open.keys()
      if (open.size > mostOpen && oldest !== undefined) open.delete(oldest)
      return token
    },
    /** Whether it was given for this, and not used before. It is used up in any case. */
    take(kind: Kind, token: string, matter: Matter): boolean {
      const given = open.get(token)
      open.delete(token)
      return (
        given !== undefined &&
        given.kind === kind &&
        given.about === textOf(matter) &&
        clock.monotonic() <= given.until
      )
    },
  }
}

function textOf({ tool, execution, what, at }: Matter): string {
  return JSON.stringify([tool, execution, what, at])
}
