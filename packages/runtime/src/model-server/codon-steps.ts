import { type Answer, type AnswerPart, say } from './answer.ts'
import type { RehearsalScript, RehearsalStep } from './rehearsal-script.ts'

/** The steps of one codon. */
export interface StepList {
  /** The name of the list in the script: a runtime id, a codon's id or `*`. */
  readonly list: string
  readonly steps: readonly RehearsalStep[]
}

/** The steps of a runtime id, else of its codon, else of all codons; undefined when the script has none of them. */
export function stepsFor(script: RehearsalScript, runtimeId: string): StepList | undefined {
  const lists = script.codons ?? {}
  const list = [runtimeId, codonOf(runtimeId), '*'].find(name => Object.hasOwn(lists, name))
  const steps = list === undefined ? undefined : lists[list]
  return list === undefined || steps === undefined ? undefined : { list, steps }
}

/** A runtime id without the iteration of its loop. */
function codonOf(runtimeId: string): string {
  return runtimeId.replace(/#\d+$/, '')
}

/** What is answered after so many steps, and how many steps that takes: one, with the waits before it. */
export function answerAfter(
  taken: number,
  steps: readonly RehearsalStep[],
): { readonly answer: Answer; readonly steps: number } {
  let count = 0
  let wait = 0
  for (const step of steps.slice(taken)) {
    count++
    wait += step.wait ?? 0
    const answer = stepAnswer(step)
    if (answer) return { answer: wait > 0 ? { ...answer, wait } : answer, steps: count }
  }
  return { answer: { ...whenRunOut(steps), wait }, steps: count }
}

/**
 * A list that ends with a failure goes on failing: some agents ask again by themselves, and what was to fail would succeed.
 * Otherwise the last thing said is said again. Without one, other trouble at the end is repeated too, and after a tool the
 * codon says that it is done.
 */
function whenRunOut(steps: readonly RehearsalStep[]): Answer {
  const answers = steps.flatMap(step => stepAnswer(step) ?? [])
  const said = steps.findLast(step => 'say' in step && step.say !== undefined)
  const last = answers.at(-1)
  if (last?.kind === 'error') return last
  const repeated = said ? stepAnswer(said) : last?.kind === 'message' ? undefined : last
  return repeated ?? say('Done.')
}

/** What the model does with one request in one step. Undefined for a step that only puts off the next one. */
function stepAnswer(step: RehearsalStep): Answer | undefined {
  if ('fail' in step) return { kind: 'error', ...step.fail }
  if ('overflow' in step) return { kind: 'overflow' }
  if ('hang' in step) return { kind: 'hang', seconds: step.hang }
  if ('drop' in step) return { kind: 'drop' }
  const parts = partsOf(step)
  if (parts.length === 0) return undefined
  return { kind: 'message', parts, ...('usage' in step && { usage: step.usage }) }
}

function partsOf(step: RehearsalStep): readonly AnswerPart[] {
  if ('use' in step) return [{ kind: 'use', ...step }]
  if ('call' in step)
    return [{ kind: 'call', name: step.call.name, input: step.call.input ?? {}, mustBeOffered: true }]
  const thinking: readonly AnswerPart[] = 'think' in step ? [{ kind: 'thinking', text: step.think }] : []
  const said = 'say' in step ? step.say : undefined
  return said === undefined ? thinking : [...thinking, { kind: 'text', text: said }]
}
