import type { Trial } from '@weave/runtime'
import { dollarsText, harmless } from 'weave-client'

/** One trigger of a sentinel, for people. */
export function trialLines(trial: Trial): readonly string[] {
  const { number, at, batch, systemPrompt, userPrompt, said, charge, problem } = trial
  const events = `${batch.eventCount} ${batch.eventCount === 1 ? 'event' : 'events'}`
  return [
    `  #${number}  ${at.toISOString()}  ${events}`,
    ...block('system', systemPrompt),
    ...block('prompt', userPrompt),
    ...block('answer', said && answerText(said.content)),
    ...block('problem', problem),
    ...(charge ? [`    cost    ${dollarsText(charge.dollars, { unknown: charge.isUnknown })}`] : []),
  ]
}

function answerText(content: NonNullable<Trial['said']>['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2)
}

function block(title: string, text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const [first = '', ...more] = harmless(text.trimEnd()).split('\n')
  return [`    ${title.padEnd(8)}${first}`, ...more.map(line => `            ${line}`)]
}
