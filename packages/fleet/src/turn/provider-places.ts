import type { Sql } from '../engine/database.ts'
import type { TurnStep } from './messages.ts'

/** Places for codons at their providers, for one turn. */
export interface ProviderPlaces {
  /** Waits for one. False: none came in time, or `isOver` said that nobody wants it any more. */
  take(step: TurnStep, isOver: () => boolean): Promise<boolean>
  /** The codon is over. */
  free(): void
}

const pollMs = 1_000
/** Then another execution may have more luck. */
const parkMs = 10 * 60_000

export function openProviderPlaces(
  { database }: { readonly database: Sql },
  { id, epoch }: { readonly id: string; readonly epoch: string },
): ProviderPlaces {
  const tryOnce = async ({ provider, model }: TurnStep): Promise<boolean> => {
    const [row] = await database.query<{ taken: boolean }>(
      'select fleet.slot_take($1, $2, $3, $4) as taken',
      [provider, model, id, epoch],
    )
    return row?.taken ?? false
  }
  return {
    async take(step, isOver) {
      const deadline = performance.now() + parkMs
      while (!isOver() && performance.now() < deadline) {
        // An engine that is away for a moment is asked again.
        if (await tryOnce(step).catch(() => false)) return true
        await new Promise(resolve => setTimeout(resolve, pollMs))
      }
      return false
    },
    free() {
      void database.query('select fleet.slot_free($1, $2)', [id, epoch]).catch(() => undefined)
    },
  }
}
