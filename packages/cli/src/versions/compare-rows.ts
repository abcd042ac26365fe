import type { CodonFacts, ComparedCodon, ComparedConversation, Comparison } from '@weave/runtime'
import { dollarsText, harmlessLine } from 'weave-client'
import { columns } from '../terminal.ts'
import { changeText, secondsText } from './compare-text.ts'

const heads = [
  'CODON',
  '',
  'STATUS',
  'TRIES',
  'MODEL',
  'TIME',
  'COST',
  'IN',
  'OUT',
  'CACHE',
  'SAID',
  'TOOLS',
  'ERRORS',
  'FILES',
]

/** A row for each side, and one for what changed; only where something but the time is different, unless all are wanted. */
export function codonLines({ codons }: Comparison, all: boolean): readonly string[] {
  const shown = all ? codons : codons.filter(({ same }) => !same)
  if (shown.length === 0) return ['', `CODONS  all ${codons.length} the same`]
  return ['', ...columns([heads, ...shown.flatMap(rowsOf)], '')]
}

function rowsOf({ codonId, left, right }: ComparedCodon): readonly (readonly string[])[] {
  return [
    [codonId, 'a', ...cellsOf(left)],
    ['', 'b', ...cellsOf(right)],
    ...(left && right ? [changesOf(left, right)] : []),
  ]
}

function cellsOf(facts: CodonFacts | undefined): readonly string[] {
  if (!facts) return ['-']
  const { status, attempts, model, durationMs, cost, tokens, messages, toolCalls, toolErrors, files } = facts
  return [
    status,
    String(attempts),
    harmlessLine(model),
    secondsText(durationMs),
    dollarsText(cost),
    String(tokens.inputTokens),
    String(tokens.outputTokens),
    `${tokens.cacheCreationTokens}/${tokens.cacheReadTokens}`,
    String(messages),
    String(toolCalls),
    String(toolErrors),
    files === undefined ? '?' : String(files),
  ]
}

function changesOf(left: CodonFacts, right: CodonFacts): readonly string[] {
  const change = (of: (facts: CodonFacts) => number): string => changeText(of(left), of(right))
  return [
    '',
    'Δ',
    left.status === right.status ? '' : 'other',
    change(({ attempts }) => attempts),
    left.model === right.model ? '' : 'other',
    change(({ durationMs }) => durationMs),
    change(({ cost }) => cost),
    change(({ tokens }) => tokens.inputTokens),
    change(({ tokens }) => tokens.outputTokens),
    change(({ tokens }) => tokens.cacheCreationTokens + tokens.cacheReadTokens),
    change(({ messages }) => messages),
    change(({ toolCalls }) => toolCalls),
    change(({ toolErrors }) => toolErrors),
    change(({ files = 0 }) => files),
  ]
}

export interface ConversationLook {
  readonly all: boolean
  /** Whole texts, as many as were read. */
  readonly hasDiff: boolean
}

/** What agents said and did, with the first difference of each codon. */
export function conversationLines({ conversation }: Comparison, look: ConversationLook): readonly string[] {
  const different = conversation.filter(({ first }) => first !== undefined)
  if (different.length === 0 && !look.all) return ['', 'CONVERSATION  the same']
  const shown = look.all ? conversation : different
  return ['', 'CONVERSATION', ...shown.flatMap(each => codonConversation(each, look))]
}

const longestStep = 110

function codonConversation(
  { codonId, same, onlyLeft, onlyRight, first }: ComparedConversation,
  { hasDiff }: ConversationLook,
): readonly string[] {
  const counts = `  ${codonId}  ${same} steps the same, ${onlyLeft} only in a, ${onlyRight} only in b`
  if (!first) return [counts]
  const before = first.left.slice(0, first.at - first.from)
  const length = hasDiff ? Number.POSITIVE_INFINITY : longestStep
  const line = (mark: string) => (step: (typeof first.left)[number]) =>
    `    ${mark} ${step.kind.padEnd(6)} ${harmlessLine(step.text, length)}`
  return [
    `${counts}; first difference at step ${first.at + 1}`,
    ...before.map(line(' ')),
    ...first.left.slice(first.at - first.from).map(line('-')),
    ...first.right.slice(first.at - first.from).map(line('+')),
  ]
}
