import { writeFileAtomic } from '../files/index.ts'
import type { SentinelConfig } from '../hank/index.ts'
import type { Message } from '../llm/index.ts'

/** One question and its answer. */
export interface ConversationTurn {
  readonly user: string
  readonly assistant: string
}

type Conversational = NonNullable<SentinelConfig['conversational']>

/** What is kept of a conversation. The newest turn stays whatever its length. Pure. */
export function trimmed(
  turns: readonly ConversationTurn[],
  { trimmingStrategy: strategy }: Conversational,
): readonly ConversationTurn[] {
  if (strategy.type === 'maxTurns') return turns.slice(-strategy.maxTurns)
  let tokens = 0
  let kept = 0
  for (const turn of turns.toReversed()) {
    tokens += estimatedTokens(turn)
    if (tokens > strategy.maxTokens && kept > 0) break
    kept++
  }
  return kept === 0 ? [] : turns.slice(-kept)
}

/** No tokenizer fits all models; four characters a token is near enough for a limit. */
function estimatedTokens({ user, assistant }: ConversationTurn): number {
  return Math.ceil((user.length + assistant.length) / 4)
}

export function messagesOf(turns: readonly ConversationTurn[], question: string): readonly Message[] {
  const earlier = turns.flatMap(({ user, assistant }): readonly Message[] => [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ])
  return [...earlier, { role: 'user', content: question }]
}

/** Undefined: this is no conversation that was written by `writeConversation`. */
export function readConversation(text: string): readonly ConversationTurn[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const turns = typeof value === 'object' && value !== null && 'turns' in value ? value.turns : undefined
    return Array.isArray(turns) && turns.every(isTurn) ? turns : undefined
  } catch {
    return undefined
  }
}

/** Rejects with the system's error. */
export async function writeConversation(path: string, turns: readonly ConversationTurn[]): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify({ turns }, null, 2)}\n`)
}

function isTurn(value: unknown): value is ConversationTurn {
  if (typeof value !== 'object' || value === null) return false
  return (
    'user' in value &&
    typeof value.user === 'string' &&
    'assistant' in value &&
    typeof value.assistant === 'string'
  )
}
