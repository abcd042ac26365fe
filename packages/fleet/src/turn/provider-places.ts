import type { Sql } from '../engine/database.ts'
import type { TurnStep } from './messages.ts'

interface PlaceWish {
  readonly isOver: () => boolean
  /** There is none right now. */
  readonly onWait: () => void
}

/** Places for codons at their providers, for one turn. */
export interface ProviderPlaces {
  /** Waits for one. False: none came in time, or `isOver` said that nobody wants it any more. */
  take(step: TurnStep, asked: PlaceWish): Promise<boolean>
  /** The codon is over. */
  free(): void
}

const pollMs = 1_000

export function openProviderPlaces(
  { database }: { readonly database: Sql },
  { id, epoch, parkMs }: { readonly id: string; readonly epoch: string; readonly parkMs: number },
): ProviderPlaces {
  const tryOnce = async ({ provider, model }: TurnStep): Promise<boolean> => {
    const [row] = await database.query<{ taken: boolean }>(
      'select fleet.slot_take($1, $2, $3, $4) as taken',
      [provider, model, id, epoch],
    )
    return row?.taken ?? false
  }
  return {
    async take(step, { isOver, onWait }) {
      const deadline = performance.now() + parkMs
      for (let tried = 0; !isOver() && performance.now() < deadline; tried++) {
        // An engine that is away for a moment is asked again.
        if (await tryOnce(step).catch(() => false)) return true
        if (tried === 0) onWait()
        await new Promise(resolve => setTimeout(resolve, pollMs))
      }
      return false
    },
    free() {
      void database.query('select fleet.slot_free($1, $2)', [id, epoch]).catch(() => undefined)
    },
  }
}
