import * as z from 'zod'
import type { DirectType, EventData, EventType, JournaledType } from './events.ts'
import { isoTime } from './values.ts'

/** The frame around every event. `seq` is there on journaled events, `commandId` on answers to a command. */
export const eventEnvelope = z.object({
  id: z.string().min(1),
  timestamp: isoTime,
  type: z.string().min(1),
  data: z.record(z.string(), z.unknown()),
  seq: z.int().positive().optional(),
  commandId: z.string().optional(),
})

/** The frame around every command. `id` is the client's own and comes back as `commandId`. */
export const commandEnvelope = z.strictObject({
  id: z.string().min(1).max(256),
  type: z.string().min(1),
  data: z.record(z.string(), z.unknown()).optional(),
})

interface Envelope<T extends EventType> {
  readonly id: string
  readonly timestamp: string
  readonly type: T
  readonly data: EventData<T>
  readonly seq?: number
  readonly commandId?: string
}

export type ServerEvent<T extends EventType = EventType> = { [K in T]: Envelope<K> }[T]
export type JournaledEvent<T extends JournaledType = JournaledType> = {
  [K in T]: Envelope<K> & { readonly seq: number }
}[T]
export type DirectEvent<T extends DirectType = DirectType> = { [K in T]: Envelope<K> }[T]
