import type { Secret } from '../kit/index.ts'
import type { Answer } from './ask.ts'
import { type CureNames, type Failure, type FailureCategory, failure } from './failure.ts'
import type { Probe } from './probe.ts'
import { complaintIn, quotable } from './quote.ts'

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
  const isGood = answer.status >= 200 && answer.status < 300
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
