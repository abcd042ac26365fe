import type { RequirementId } from './requirements.ts'

/** Rules that no test proves yet, with the reason. The list only ever shrinks. */
export interface Deferral {
  readonly reason: string
  readonly ids: readonly RequirementId[]
}

export const deferred: readonly Deferral[] = [
  {
    reason: 'There is no dashboard: the server answers plain HTTP with a hint only.',
    ids: ['d12/token-dashboard'],
  },
  {
    reason: 'No format of a packed hank is defined anywhere.',
    ids: ['d2/single-argument-packed-hank'],
  },
  {
    reason:
      'Another rule of the contract says that the tightest ceiling wins, and that one is kept (docs/decisions.md).',
    ids: ['2.8/budget-max-dollars-flag', '2.8/budget-max-time-seconds-flag'],
  },
  {
    reason: 'The decisions make showCosts a key of weave.json, and that is kept (docs/decisions.md).',
    ids: ['2.9/show-costs-no-field'],
  },
]

export const deferredIds: ReadonlySet<string> = new Set(deferred.flatMap(({ ids }) => ids))
