import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import { createAsyncQueue } from '../../kit/index.ts'

/** The prompts of one session, one after another. The session lasts until they are closed. */
export interface Prompts {
  say(prompt: string): void
  close(): void
  readonly stream: AsyncIterable<SDKUserMessage>
}

export function createPrompts(): Prompts {
  const inbox = createAsyncQueue<string>()
  async function* stream(): AsyncGenerator<SDKUserMessage> {
    for (let prompt = await inbox.take(); prompt !== undefined; prompt = await inbox.take()) {
      yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null }
    }
  }
  return { say: prompt => void inbox.put(prompt), close: inbox.close, stream: stream() }
}
