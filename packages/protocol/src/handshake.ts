import * as z from 'zod'
import { eventEnvelope } from './envelope.ts'
import type { Immutable } from './values.ts'

/** The first two messages of a connection. They stand outside the tables of commands and events. */
export const clientMode = z.enum(['readonly', 'readandwrite'])
export type ClientMode = z.infer<typeof clientMode>

/** The name a client lists in `extensions` to receive the extension events too. */
export const weaveExtension = 'weave'

/** The name a client lists there to receive live events many at a time: a frame is a list of them, every 100 ms at most, after one of more than 50 every 200. */
export const batchExtension = 'weave-batches'

export const handshakeRequest = z.strictObject({
  id: z.string().min(1).max(256).optional(),
  type: z.literal('handshake'),
  data: z.strictObject({
    mode: clientMode,
    sendPreviousEvents: z.boolean().default(false),
    since: z
      .int()
      .nonnegative()
      .optional()
      .register(z.globalRegistry, { description: '`eventHistory` starts after this `seq`' }),
    extensions: z.array(z.string()).max(16).optional(),
    token: z.string().optional(),
  }),
})
export type HandshakeRequest = Immutable<z.output<typeof handshakeRequest>>
export type HandshakeInput = Immutable<z.input<typeof handshakeRequest>['data']>

export const handshakeResponse = z.object({
  ...eventEnvelope.shape,
  type: z.literal('handshake.response'),
  data: z.object({
    clientId: z.string(),
    mode: clientMode,
    eventHistory: z
      .array(eventEnvelope)
      .optional()
      .register(z.globalRegistry, { description: 'only when the handshake asked for it' }),
    totalEvents: z
      .int()
      .nonnegative()
      .register(z.globalRegistry, { description: 'events that this client can get from the journal' }),
    lastSeq: z.int().nonnegative().optional().register(z.globalRegistry, {
      description: 'the last `seq` of the journal; live events come after it',
    }),
  }),
})
export type HandshakeResponse = Immutable<z.infer<typeof handshakeResponse>>
