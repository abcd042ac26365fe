import type { JsonObject } from '../../kit/index.ts'
import { pieces, sseEvent } from './sse.ts'

/** A part of an answer as the Responses dialect has it. */
export type ResponseItem =
  | {
      readonly type: 'message'
      readonly id: string
      readonly content: readonly [{ readonly type: 'output_text'; readonly text: string }]
    }
  | {
      readonly type: 'reasoning'
      readonly id: string
      readonly summary: readonly [{ readonly type: 'summary_text'; readonly text: string }]
    }
  | { readonly type: 'function_call'; readonly id: string; readonly arguments: string }

export interface WholeResponse {
  readonly status: 'completed' | 'incomplete'
  readonly output: readonly ResponseItem[]
}

type Step = { readonly type: string } & JsonObject

/** The events that build up to `response`, which is also the last of them. */
export function responseEvents(response: WholeResponse): readonly string[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const steps: readonly Step[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap((item, index) => itemSteps(item, index)),
    { type: `response.${response.status}`, response },
  ]
  return steps.map((step, number) => sseEvent({ ...step, sequence_number: number }, step.type))
}

function itemSteps(item: ResponseItem, index: number): readonly Step[] {
  const at = { output_index: index }
  return [
    { type: 'response.output_item.added', ...at, item: { ...item, ...begun[item.type] } },
    ...innerSteps(item).map(step => ({ ...step, ...at, item_id: item.id })),
    { type: 'response.output_item.done', ...at, item },
  ]
}

const begun = {
  message: { status: 'in_progress', content: [] },
  reasoning: { summary: [] },
  function_call: { status: 'in_progress', arguments: '' },
}

function innerSteps(item: ResponseItem): readonly Step[] {
  if (item.type === 'function_call') {
    return [
      ...pieces(item.arguments).map(delta => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', arguments: item.arguments },
    ]
  }
  if (item.type === 'reasoning') {
    return textSteps(item.summary[0], 'response.reasoning_summary_part', 'response.reasoning_summary_text')
  }
  return textSteps(item.content[0], 'response.content_part', 'response.output_text')
}

function textSteps(part: { readonly text: string }, partEvent: string, textEvent: string): readonly Step[] {
  const at = { content_index: 0, summary_index: 0 }
  return [
    { type: `${partEvent}.added`, ...at, part: { ...part, text: '' } },
    ...pieces(part.text).map(delta => ({ type: `${textEvent}.delta`, ...at, delta })),
    { type: `${textEvent}.done`, ...at, text: part.text },
    { type: `${partEvent}.done`, ...at, part },
  ]
}
