import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import { roomsOf } from './allocate.ts'
import { ceilingOf } from './ceiling.ts'
import { type Ledger, noSpend } from './ledger.ts'
import type { Meter } from './meter.ts'

/** Every limit that holds for an attempt which begins now, the nearest first. */
export function metersOf(plan: Plan, ledger: Ledger, step: PlannedCodonAt): readonly Meter[] {
  return [...ownMeters(ledger, step), ...containerMeters(plan, ledger, step)]
}

/** The caps of the codon itself; in a loop they begin anew with each iteration. */
export function ownMeters(ledger: Ledger, { codon, runtimeId }: PlannedCodonAt): readonly Meter[] {
  const { dollars, seconds, tokens } = ledger.underway.get(runtimeId) ?? noSpend
  const { budget } = codon
  const own = (currency: Meter['currency'], limit: number | undefined, used: number): readonly Meter[] =>
    limit === undefined ? [] : [{ currency, level: 'codon', scope: 'codon', limit, used, isPart: false }]
  return [
    ...own('dollars', budget?.maxDollars, dollars),
    ...own('seconds', budget?.maxTimeSeconds, seconds),
    ...own('output-tokens', budget?.maxOutputTokens, tokens.outputTokens),
    // The most that one turn holds: an attempt begins with none, and turns do not add up.
    ...own('context-tokens', budget?.maxContextTokens, 0),
  ]
}

/** The limits of the loop and of the whole run. */
export function containerMeters(plan: Plan, ledger: Ledger, step: PlannedCodonAt): readonly Meter[] {
  return [...roomsOf(plan, ledger, step), ...timeMeters(plan, ledger, step)]
}

function timeMeters(plan: Plan, ledger: Ledger, { loop }: PlannedCodonAt): readonly Meter[] {
  const inLoop = loop?.budget?.maxTimeSeconds
  const inHank = ceilingOf(plan, 'maxTimeSeconds')
  const meter = (part: Pick<Meter, 'level' | 'scope' | 'limit' | 'used'>): Meter => ({
    ...part,
    currency: 'seconds',
    isPart: false,
  })
  const ofLoop = (id: string, limit: number): Meter =>
    meter({ level: 'loop', scope: `loop:${id}`, limit, used: ledger.items.get(id)?.seconds ?? 0 })
  return [
    ...(loop && inLoop !== undefined ? [ofLoop(loop.id, inLoop)] : []),
    ...(inHank
      ? [meter({ level: 'hank', scope: inHank.scope, limit: inHank.amount, used: ledger.total.seconds })]
      : []),
  ]
}
