import { createHash } from 'node:crypto'
import { batches } from './batches.ts'
import { figures } from './figures.ts'
import { money } from './money.ts'
import { orders } from './orders.ts'
import { records } from './records.ts'
import { tails } from './tails.ts'
import { throttle } from './throttle.ts'
import { turns } from './turns.ts'
import { workers } from './workers.ts'

/**
 * All functions and triggers as they are now: those that are there are dropped, with their triggers, and made anew. Who calls
 * meanwhile waits; the tables with triggers are locked in the order in which turns change them.
 */
export const functions = `
lock table fleet.execution, fleet.head in access exclusive mode;
do $$
declare f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'fleet'::regnamespace loop
    execute format('drop function if exists %s cascade', f);
  end loop;
end $$;
${[records, workers, turns, batches, orders, money, throttle, figures, tails].join('')}`

/** Tells one set of functions from another. */
export const fingerprint = createHash('sha256').update(functions).digest('hex').slice(0, 16)
