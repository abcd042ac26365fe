import { createRedactor, fieldOf, listOf, type Secret, textOf } from '../kit/index.ts'

import type { Answer } from './ask.ts'
import type { Probe } from './probe.ts'

/** Who was asked, and with what. */
export interface Asked {
  readonly probe: Probe
  readonly provider: string
  /** Who answered, for people: a host, with the variable that named it. */
  readonly host: string
  readonly key: Secret
  /** The variable with the address, when one gave it. */
  readonly address?: string | undefined
}

/** What an answer means: nothing wrong, or a failure of one of the categories. */
export function verdictOn(answer: Answer, asked: Asked): Failure | undefined {
  const { host, provider, probe } = asked
  const names = namesOf(asked)
  switch (answer.kind) {
    case 'silence':
      return failure('network', `${host} could not be reached: ${answer.reason}.`, names)
    case 'redirect':
      return failure('unknown', `${host} answered with a redirect, and a key does not follow one.`, names)
    case 'status':
      break
  }
  if (answer.status === probe.unasked) return undefined
  const isGood = answer.status >= 200 && answer.status < 300
  if (isGood && probe.lacks?.(answer.body)) return failure('model', `${host} does not list the model.`, names)
  if (isGood && probe.isAnswer(answer.body)) return undefined
  if (isGood) return failure('unknown', `${host} answered, but not as ${provider} does.`, names)
  return refusal(answer.status, complaintIn(answer.body), asked)
}

/** For a provider that was asked and kept silent until the time was up. */
export function tooLate(asked: Asked, limitMs: number): Failure {
  return failure('network', `${asked.host} did not answer within ${limitMs / 1000} s.`, namesOf(asked))
}

function refusal(status: number, complaint: string | undefined, asked: Asked): Failure {
  const { host, key, probe } = asked
  const category = categoryOf(status, complaint ?? '', probe)
  const quote = quotable(complaint, key)
  const code = `status ${status}${quote === undefined ? '' : `: "${quote}"`}`
  return failure(category, `${host} ${deeds[category](key.name)} (${code}).`, namesOf(asked))
}

type Refusal = Extract<FailureCategory, 'auth' | 'model' | 'unknown'>

const deeds: Readonly<Record<Refusal, (variable: string) => string>> = {
  auth: variable => `refused the key in ${variable}`,
  model: () => 'does not know the model, or not for this key',
  unknown: () => 'gave no usable answer',
}

/** Some providers answer a wrong key with 400, so for that status their words decide. */
function categoryOf(status: number, complaint: string, { isAboutModel }: Probe): Refusal {
  if (status === 401 || status === 403) return 'auth'
  const isUnclear = status === 400 || status === 422
  if (isUnclear && /api[\s_-]?key/i.test(complaint)) return 'auth'
  const isModel = status === 404 || (isUnclear && /model/i.test(complaint))
  return isModel && isAboutModel ? 'model' : 'unknown'
}

function namesOf({ key, address }: Asked): CureNames {
  return { keys: [key.name], address }
}

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
interface CureNames {
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

/** What a server says went wrong, in any of the shapes that providers use. Not yet fit for showing. */
function complaintIn(body: unknown): string | undefined {
  const outer = listOf(body)[0] ?? body
  const error = fieldOf(outer, 'error')
  const said = [fieldOf(error, 'message'), error, fieldOf(outer, 'message'), fieldOf(outer, 'detail')]
  return said.map(textOf).find(text => text !== undefined && text !== '')
}

const shown = 200
/** No shorter piece of a key is worth anything to anyone. */
const pieceLength = 8

/**
 * A complaint as it may be shown: one line, not long, without the key. A server may send back what it was sent, whole or
 * in part; when a piece of the key is left after redaction, nothing is shown at all.
 */
function quotable(complaint: string | undefined, key: Secret): string | undefined {
  if (complaint === undefined) return undefined
  const line = complaint
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{C}+/gu, '')
    .trim()
  const clean = createRedactor([key]).text(line)
  if (clean === '' || holdsPieceOf(key.value, clean)) return undefined
  const letters = [...clean]
  return letters.length > shown ? `${letters.slice(0, shown).join('')}…` : clean
}

function holdsPieceOf(key: string, text: string): boolean {
  const length = Math.min(pieceLength, key.length)
  for (let start = 0; start + length <= key.length; start++) {
    if (text.includes(key.slice(start, start + length))) return true
  }
  return false
}
