import { createRedactor, secretsOf } from '../kit/index.ts'
import type { Environment } from './variables.ts'

export interface ListedVariable {
  readonly name: string
  /** Fit to be shown to anybody. */
  readonly value: string
}

/**
 * The variables that have to do with a run, sorted by name, without a secret in them: all `WEAVE_*`, keys and tokens,
 * addresses, the switches of telemetry, and those in `names` (what a hank requires or sets).
 *
 * Of a secret only the end is shown, and only when it is long enough to stay one. Values of other variables lose what
 * looks like a key and what stands before the `@` of an address.
 */
export function listEnvironment(
  environment: Environment,
  names: readonly string[] = [],
): readonly ListedVariable[] {
  // Of an address only the password is a secret.
  const whole = secretsOf(environment).filter(({ name, value }) => environment[name] === value)
  const secrets = new Set(whole.map(({ name }) => name))
  const wanted = new Set(names)
  const redactor = createRedactor([])
  return Object.entries(environment)
    .filter(([name]) => wanted.has(name) || secrets.has(name) || ofInterest.test(name))
    .flatMap(([name, value]) => {
      if (value === undefined) return []
      return [{ name, value: secrets.has(name) ? masked(value) : redactor.text(withoutUser(value)) }]
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

const ofInterest = /^(?:WEAVE_.*|.*_BASE_URL|CI|DO_NOT_TRACK)$/
const shownEnd = 4

function masked(secret: string): string {
  if (secret === '') return '(empty)'
  return secret.length >= shownEnd * 5 ? `****${secret.slice(-shownEnd)}` : '****'
}

function withoutUser(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#]*@/i, '$1****@')
}
