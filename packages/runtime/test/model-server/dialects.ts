import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel } from 'ai'
import type { DialectName } from '../../src/model-server/index.ts'

/** One real client for each dialect. */
export interface Client {
  readonly dialect: DialectName
  /** Whether the client shows thinking in this dialect. */
  readonly thinks: boolean
  /** Whether the dialect has a field for tokens that were written to a cache. */
  readonly countsCacheWrites: boolean
  model(url: string, key: string): LanguageModel
}

export const clients: readonly Client[] = [
  {
    dialect: 'anthropic',
    thinks: true,
    countsCacheWrites: true,
    model: (url, key) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key })('claude-sonnet-4-5'),
  },
  {
    dialect: 'openai-responses',
    thinks: true,
    countsCacheWrites: true,
    model: (url, key) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).responses('gpt-5'),
  },
  {
    dialect: 'openai-chat',
    thinks: false,
    countsCacheWrites: true,
    model: (url, key) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat('gpt-4.1'),
  },
  {
    dialect: 'openrouter',
    thinks: false,
    countsCacheWrites: true,
    model: (url, key) => createOpenAI({ baseURL: `${url}/api/v1`, apiKey: key }).chat('z-ai/glm-4.6'),
  },
  {
    dialect: 'google',
    thinks: true,
    countsCacheWrites: false,
    model: (url, key) =>
      createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key })('gemini-2.5-pro'),
  },
]
