/** Why a self-test failed; each has its own guidance. */
export type FailureCategory = 'missing-harness' | 'auth' | 'model' | 'network' | 'unknown'

export interface Failure {
  readonly category: FailureCategory
  /** What happened, as a sentence. Never holds a key or more of an address than its host. */
  readonly what: string
  /** What to do about it, as a sentence. */
  readonly cure: string
}

/** Names of variables, never their values. */
export interface CureNames {
  /** What to type to install the harness. */
  readonly install?: string
  /** The variables that may hold the key, the preferred one first. */
  readonly keys?: readonly string[]
  /** The variable that gave the address, when one did. */
  readonly address?: string | undefined
}

export function failure(category: FailureCategory, what: string, names: CureNames = {}): Failure {
  return { category, what, cure: cures[category](names) }
}

const cures: Readonly<Record<FailureCategory, (names: CureNames) => string>> = {
  'missing-harness': ({ install = '' }) => `Install it: ${install}`,
  auth: ({ keys = [] }) =>
    `Check the key in ${keys.join(' or ')}: that it is whole, has not expired and may use this model.`,
  model: ({ address }) =>
    `Choose a model that is served there ("weave models" lists those that are known)${andCheck(address)}.`,
  network: ({ address }) => `Check your connection, proxy and firewall${andCheck(address)}.`,
  unknown: ({ address }) =>
    `This may be temporary: try again in a minute${andCheck(address)}. --skip-self-test starts without asking.`,
}

function andCheck(variable: string | undefined): string {
  return variable === undefined ? '' : `, and check the address in ${variable}`
}
