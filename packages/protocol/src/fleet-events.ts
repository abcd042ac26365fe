import * as z from 'zod'
import { count, type EventRow, extension, text } from './event-row.ts'
import { dollars, isoTime, milliseconds } from './values.ts'

/** Part of the TABLE of events: what a fleet that moves executions from machine to machine puts on record in them. */
export const fleetEvents = {
  'fleet.turn': extension(
    'A worker of a fleet has claimed the execution; what follows is of this epoch.',
    z.object({
      executionId: text,
      batchId: text,
      epoch: z.int().min(1),
      worker: text,
      head: count.register(z.globalRegistry, { description: 'number of the head it goes on from; 0: none' }),
      lostDollars: dollars
        .optional()
        .register(z.globalRegistry, { description: 'what earlier epochs may have spent without a record' }),
    }),
  ),
  'fleet.published': extension(
    'All up to here is in the store of the fleet, as the head of this number.',
    z.object({ seq: z.int().min(1), bytes: count, ms: milliseconds }),
  ),
  'fleet.waiting': extension(
    'A codon waits for something that the whole fleet shares; for the engine it stands still, until the event that says until when.',
    z.object({ for: z.enum(['budget', 'provider', 'person', 'store', 'engine']), until: isoTime.optional() }),
  ),
  'fleet.rest': extension(
    'Files of the workspace are too many or too large to move with the execution; they stay behind.',
    z.object({ left: z.array(z.object({ path: text, bytes: count })) }),
  ),
  'fleet.lost': extension(
    'Another worker has the execution: nothing that follows here is published.',
    z.object({ why: text }),
  ),
} as const satisfies Readonly<Record<string, EventRow>>
