import { engineFigures } from './fleet/engine.ts'
import { handOverFigures } from './fleet/handover.ts'
import { buildCommand } from './fleet/home.ts'
import { queueFigures } from './fleet/queue.ts'
import type { Figure } from './measure.ts'

/** The fleet on an engine of its own: A6 queue, A7 hand-over, A8 the engine itself. Needs the programs of PostgreSQL. */
export async function fleetFigures(): Promise<readonly Figure[]> {
  buildCommand()
  return [...(await engineFigures()), ...(await handOverFigures()), ...(await queueFigures())]
}
