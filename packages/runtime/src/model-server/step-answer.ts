import type { Answer, AnswerPart } from './answer.ts'
import type { RehearsalStep } from './rehearsal-script.ts'

/** What the model does with one request in one step. Undefined for a step that only puts off the next one. */
export function stepAnswer(step: RehearsalStep): Answer | undefined {
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
  const thinking: readonly AnswerPart[] = 'think' in step ? [{ kind: 'thinking', text: step.think }] : []
  const said = 'say' in step ? step.say : undefined
  return said === undefined ? thinking : [...thinking, { kind: 'text', text: said }]
}
