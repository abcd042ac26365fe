import type { Settings } from '../settings/index.ts'

/**
 * TABLE of the two vocabularies for spans and metrics of generative AI. Both are in development; the older is what most
 * receivers read, so it is the default. The names are written out: the packages that hold them as constants mark them as
 * moved, and change them between versions.
 */
export type VocabularyName = Settings['otel']['names']

export interface Vocabulary {
  readonly schemaUrl: string
  /** Tokens that were written to the provider's cache. */
  readonly cacheWrite: string
  /** Whether a span `invoke_agent` says the provider, the agent's id and the tokens of caches. */
  readonly isAgentDetailed: boolean
  readonly metrics: MetricNames
}

export interface MetricNames {
  /** One histogram with the kind of token as an attribute. */
  readonly tokens?: string
  /** A counter for each kind of token. */
  readonly counters?: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', string>>
  /** A histogram for each kind of token, by call. */
  readonly perCall?: Readonly<Record<'input' | 'output', string>>
  readonly chatDuration: string
  readonly agentDuration: string
  readonly toolDuration: string
  readonly workflowDuration?: string
  readonly callsOfAgent?: string
  readonly toolsOfAgent?: string
}

export const vocabularies: Readonly<Record<VocabularyName, Vocabulary>> = {
  '1.41': {
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
    cacheWrite: 'gen_ai.usage.cache_creation.input_tokens',
    isAgentDetailed: true,
    metrics: {
      tokens: 'gen_ai.client.token.usage',
      chatDuration: 'gen_ai.client.operation.duration',
      agentDuration: 'gen_ai.client.operation.duration',
      toolDuration: 'gen_ai.client.operation.duration',
    },
  },
  latest: {
    schemaUrl: 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev',
    cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
    isAgentDetailed: false,
    metrics: {
      counters: {
        input: 'gen_ai.client.inference.usage.input_tokens',
        output: 'gen_ai.client.inference.usage.output_tokens',
        cacheRead: 'gen_ai.client.inference.usage.cache_read.input_tokens',
        cacheWrite: 'gen_ai.client.inference.usage.cache_write.input_tokens',
      },
      perCall: {
        input: 'gen_ai.client.inference.operation.input_tokens',
        output: 'gen_ai.client.inference.operation.output_tokens',
      },
      chatDuration: 'gen_ai.client.inference.duration',
      agentDuration: 'gen_ai.invoke_agent.duration',
      toolDuration: 'gen_ai.execute_tool.duration',
      workflowDuration: 'gen_ai.invoke_workflow.duration',
      callsOfAgent: 'gen_ai.invoke_agent.inference_calls',
      toolsOfAgent: 'gen_ai.invoke_agent.tool_calls',
    },
  },
}

/** How much of what was said and done goes with the spans. */
export type ContentLevel = Settings['otel']['content']

/** Names that both vocabularies share. */
export const names = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  workflow: 'gen_ai.workflow.name',
  agent: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  agentDescription: 'gen_ai.agent.description',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  tokenType: 'gen_ai.token.type',
  tool: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
  errorType: 'error.type',
} as const

/** How the conventions call providers that have another name here. */
const providers: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  xai: 'x_ai',
  mistral: 'mistral_ai',
}

export function providerName(provider: string | undefined): string {
  if (provider === undefined) return 'unknown'
  return Object.hasOwn(providers, provider) ? (providers[provider] ?? provider) : provider
}
