import { formatPath, type Problem, problemOf } from '../kit/index.ts'

/** What a script says at gates, in the place of a person. */
export interface ScriptedGates {
  /** The answer when the gate asks for the nth time, counted from 0; undefined: the script has none. */
  answerFor(gateId: string, nth: number): GateAnswer | undefined
  /** A gate without an answer fails a strict rehearsal. */
  readonly strict: boolean
  /** What a strict rehearsal complains about: gates without an answer, and answers that nobody took. */
  leftovers(): readonly Problem<'rehearsal/steps'>[]
}

export interface GateAnswer {
  readonly decision: 'approve' | 'reject'
  readonly note?: string
}

export function createScriptedGates(
  strict: boolean,
  answers: Readonly<Record<string, readonly string[]>> = {},
): ScriptedGates {
  const taken = new Map<string, number>()
  const missing = new Set<string>()
  return {
    strict,
    answerFor(gateId, nth) {
      const text = Object.hasOwn(answers, gateId) ? answers[gateId]?.[nth] : undefined
      if (text === undefined) missing.add(gateId)
      else taken.set(gateId, Math.max(taken.get(gateId) ?? 0, nth + 1))
      return text === undefined ? undefined : readAnswer(text)
    },
    leftovers: () =>
      strict
        ? [
            ...[...missing].map(id => complaint(id, `gate ${id} asked, and there is no answer for it`)),
            ...Object.entries(answers)
              .filter(([id, list]) => (taken.get(id) ?? 0) < list.length)
              .map(([id, list]) =>
                complaint(id, `gate ${id} took ${taken.get(id) ?? 0} of ${list.length} answers`),
              ),
          ]
        : [],
  }
}

/** `approve`, `reject: too short`. */
export const gateAnswerForm = /^(approve|reject)(?:: ?(.*))?$/s

function readAnswer(text: string): GateAnswer {
  const [, decision, note] = gateAnswerForm.exec(text) ?? []
  return {
    decision: decision === 'approve' ? 'approve' : 'reject',
    ...(note !== undefined && note !== '' && { note }),
  }
}

function complaint(gateId: string, message: string): Problem<'rehearsal/steps'> {
  return problemOf({ severity: 'error', code: 'rehearsal/steps', message }, formatPath(['gates', gateId]))
}
