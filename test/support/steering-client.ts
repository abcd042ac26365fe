import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import {
  type ClientMode,
  connect,
  type EventType,
  type ServerEvent,
  type WeaveClient,
} from '../../packages/client/src/index.ts'

/** A real client of a real server, which remembers all that it was told. */
export interface SteeringClient {
  readonly client: WeaveClient
  readonly events: readonly ServerEvent[]
  /** How many events there were until now: a place to wait from. */
  readonly now: () => number
  /** The first event of a type from a place on, told already or still to come. */
  readonly until: <T extends EventType>(
    type: T,
    from?: number,
    fits?: (event: ServerEvent<T>) => boolean,
  ) => Promise<ServerEvent<T>>
}

/** Finds the port where everybody finds it, in the lock of the execution, and waits until the handshake is done. */
export async function steer(
  execution: string,
  { mode = 'readandwrite' }: { readonly mode?: ClientMode } = {},
): Promise<SteeringClient> {
  const client = connect(`ws://127.0.0.1:${portOf(execution)}`, {
    mode,
    since: 0,
    socket: WebSocket,
    reconnect: false,
  })
  const events: ServerEvent[] = []
  const looks = new Set<() => void>()
  client.onAny(event => {
    events.push(event)
    for (const look of looks) look()
  })
  onTestFinished(() => client.close())
  const opened = await client.opened
  if (!opened.ok) throw new Error(`The server refused: ${opened.code} ${opened.reason}`)
  const until: SteeringClient['until'] = (type, from = 0, fits = () => true) =>
    new Promise(resolve => {
      let at = from
      const look = (): void => {
        for (; at < events.length; at++) {
          const event = events[at]
          // The type of an event decides what else it is; the compiler cannot follow for a `T` that is still open.
          if (event?.type !== type || !fits(event as ServerEvent<typeof type>)) continue
          looks.delete(look)
          resolve(event as ServerEvent<typeof type>)
          return
        }
      }
      looks.add(look)
      look()
    })
  return { client, events, now: () => events.length, until }
}

export function portOf(execution: string): number {
  const lock = JSON.parse(readFileSync(join(execution, '.weave/lock.json'), 'utf8')) as {
    readonly port: number
  }
  return lock.port
}
