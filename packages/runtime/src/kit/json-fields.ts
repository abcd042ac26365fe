/** A billion: more tokens than any model takes or writes in one answer. */
const mostTokens = 1_000_000_000

/** Whether a provider's figure can be a number of tokens. One that cannot is unknown, never zero. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= mostTokens
}
/** Looking into JSON that came from outside: a wrong type reads as nothing, never as an error. */

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Empty for everything that is no object. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Only an own field counts: `constructor` and its like are no fields. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
