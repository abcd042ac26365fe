import type { Model } from '../../src/models/index.ts'

/** A model for tests that care about nothing but its name. */
export function model(provider: string, id: string, more: Partial<Model> = {}): Model {
  return { provider, id, name: id, contextWindow: 1_000, ...more }
}
