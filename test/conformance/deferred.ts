import type { RequirementId } from './requirements.ts'

/** Rules that no test proves yet, with the reason. The list only ever shrinks. */
export interface Deferral {
  readonly reason: string
  readonly ids: readonly RequirementId[]
}

export const deferred: readonly Deferral[] = []

export const deferredIds: ReadonlySet<string> = new Set(deferred.flatMap(({ ids }) => ids))
