/** A billion: more tokens than any model takes or writes in one answer. */
const mostTokens = 1_000_000_000

/** Whether a figure that a provider tells can be a number of tokens. What cannot is not known, never zero. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= mostTokens
}
