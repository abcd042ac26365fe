import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDir, fileNameOf, readRegularFile, writeFileAtomic } from '../files/index.ts'
import type { SentinelConfig } from '../hank/index.ts'
import { fieldOf } from '../kit/index.ts'
import type { Message } from '../llm/index.ts'
import type { SentinelPlaces } from './options.ts'

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

/** Undefined: this is no conversation that was written by `keptConversation`. */
export function readConversation(text: string): readonly ConversationTurn[] | undefined {
  try {
    const turns = fieldOf(JSON.parse(text), 'turns')
    return Array.isArray(turns) && turns.every(isTurn) ? turns : undefined
  } catch {
    return undefined
  }
}

function isTurn(value: unknown): value is ConversationTurn {
  return [fieldOf(value, 'user'), fieldOf(value, 'assistant')].every(text => typeof text === 'string')
}

const maxBytes = 16 * 1024 * 1024

/** The conversation of a sentinel in a codon, on disk: it goes on after a restart and in the next attempt. */
export function keptConversation(sentinelId: string, runtimeId: string, { directoryOf }: SentinelPlaces) {
  const directory = directoryOf(sentinelId)
  const path = join(directory, `${fileNameOf(runtimeId)}.conversation.json`)
  return {
    /** `damaged`: there is something, and it is no conversation. Never rejects. */
    async read(): Promise<readonly ConversationTurn[] | 'damaged'> {
      const file = await readRegularFile(path, { maxBytes })
      if (file.ok) return readConversation(file.bytes.toString('utf8')) ?? 'damaged'
      return file.reason === 'missing' ? [] : 'damaged'
    },
    /** Rejects with the system's error. */
    async write(turns: readonly ConversationTurn[]): Promise<void> {
      await ensureDir(directory)
      await writeFileAtomic(path, `${JSON.stringify({ turns }, null, 2)}\n`)
    },
    /** Puts what is damaged out of the way, for people to look at. Never rejects. */
    async setAside(): Promise<void> {
      await rename(path, `${path}.damaged`).catch(() => undefined)
    },
  }
}
