/** What an agent speaks with its provider. `none`: it has a login of its own, and nobody can look at what it asks. */
export type AgentDialect = 'anthropic' | 'openai' | 'google' | 'none'

/**
 * How an agent is driven that speaks the Agent Client Protocol. In `command`, `env` and `files` these words are filled in:
 * `${url}` where its provider is asked, `${api}` the same with the version path, `${key}`, `${model}`, `${home}` where it
 * keeps what it keeps, `${autoCompact}` (`true` or `false`), `${context}` and `${output}` (tokens).
 */
export interface AgentRow {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Path below its home → text, written before it starts. */
  readonly files?: Readonly<Record<string, string>> | undefined
  readonly dialect: AgentDialect
  /** `config`: the model is chosen in the session; `given`: the row hands it over. */
  readonly model?: 'config' | 'given' | undefined
  /** Set in every session: the one in which it asks nobody. */
  readonly mode?: string | undefined
  /** The way to sign in that it is told to use. */
  readonly auth?: string | undefined
  /** False: it cannot go on with a conversation. */
  readonly resume?: boolean | undefined
}

export type AgentRows = Readonly<Record<string, AgentRow>>

/** A row of ours, and the version of the program that it was tried with. */
export interface BuiltInAgent extends AgentRow {
  readonly title: string
  readonly tried: string
  /** Instructions in the workspace that it reads by itself, and hosts that it asks besides its provider; for the handbook. */
  readonly reads: readonly string[]
  readonly asksToo: readonly string[]
}

/** A word that is filled in when an agent is started. */
const word = <Name extends string>(name: Name) => `\${${name}}` as const
const url = word('url')
const api = word('api')
const key = word('key')
const model = word('model')
const home = word('home')
const autoCompact = word('autoCompact')
const context = word('context')
const output = word('output')

/** As JSON; what is no text there stands without quotes. */
function json(value: object): string {
  return [autoCompact, context, output].reduce(
    (text, each) => text.replaceAll(JSON.stringify(each), each),
    JSON.stringify(value),
  )
}

/**
 * TABLE of the agents that need no row of an operator. Everything that they keep goes below `${home}` by variables of their
 * own and not by HOME: their shells need the person's git identity and settings of npm.
 */
export const builtInAgents = {
  gemini: {
    title: 'Gemini CLI',
    tried: '0.61.0',
    reads: ['GEMINI.md'],
    asksToo: [],
    command: ['gemini', '--acp', '--approval-mode', 'yolo', '-m', model],
    dialect: 'google',
    auth: 'gemini-api-key',
    resume: false,
    env: {
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    },
    files: {
      '.gemini/settings.json': json({
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    },
  },
  opencode: {
    title: 'opencode',
    tried: '1.18.18',
    reads: ['AGENTS.md'],
    asksToo: [],
    command: ['opencode', 'acp'],
    dialect: 'openai',
    // Else it would ask npm's registry for a package that only plugins need.
    files: {
      'config/opencode/package.json': json({ dependencies: { '@opencode-ai/plugin': '1.18.18' } }),
      'config/opencode/package-lock.json': json({
        packages: { '': { dependencies: { '@opencode-ai/plugin': '1.18.18' } } },
      }),
      'config/opencode/node_modules/.package-lock.json': '{}',
    },
    env: {
      XDG_CONFIG_HOME: `${home}/config`,
      XDG_DATA_HOME: `${home}/data`,
      XDG_STATE_HOME: `${home}/state`,
      // Beside the home: what it fetched or built once is not a part of any conversation.
      XDG_CACHE_HOME: `${home}/../cache`,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_CONFIG_CONTENT: json({
        model: `weave/${model}`,
        small_model: `weave/${model}`,
        share: 'disabled',
        autoupdate: false,
        compaction: { auto: autoCompact },
        permission: { '*': 'allow' },
        provider: {
          weave: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: api, apiKey: key, includeUsage: true },
            models: { [model]: { limit: { context, output } } },
          },
        },
      }),
    },
  },
  codex: {
    title: 'Codex',
    tried: '2.6.0',
    reads: ['AGENTS.md'],
    asksToo: ['chatgpt.com', 'github.com', 'api.github.com'],
    command: ['codex-acp'],
    dialect: 'openai',
    auth: 'api-key',
    mode: 'agent-full-access',
    env: { CODEX_HOME: `${home}/codex`, OPENAI_API_KEY: key, CODEX_API_KEY: key },
    files: {
      'codex/config.toml': [
        `model = "${model}"`,
        'model_provider = "weave"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        'check_for_update_on_startup = false',
        '[model_providers.weave]',
        'name = "weave"',
        `base_url = "${api}"`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        '[analytics]',
        'enabled = false',
        '',
      ].join('\n'),
    },
  },
  claude: {
    title: 'Claude Code',
    tried: '0.49.0',
    reads: ['CLAUDE.md'],
    asksToo: [],
    command: ['claude-agent-acp'],
    dialect: 'anthropic',
    model: 'config',
    mode: 'bypassPermissions',
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CONFIG_DIR: `${home}/claude`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      IS_SANDBOX: '1',
    },
  },
} as const satisfies Readonly<Record<string, BuiltInAgent>>

export type BuiltInAgentName = keyof typeof builtInAgents

export function isBuiltInAgent(name: string): name is BuiltInAgentName {
  return Object.hasOwn(builtInAgents, name)
}

/** Those of a person take the place of ours. */
export function agentsWith(own: AgentRows = {}): ReadonlyMap<string, AgentRow> {
  return new Map<string, AgentRow>([...Object.entries(builtInAgents), ...Object.entries(own)])
}

/** Whoever is not here is asked as OpenAI is. */
const otherDialects: ReadonlyMap<string, AgentDialect> = new Map([
  ['anthropic', 'anthropic'],
  ['minimax', 'anthropic'],
  ['minimax-cn', 'anthropic'],
  ['xiaomi', 'anthropic'],
  ['kimi-coding', 'anthropic'],
  ['google', 'google'],
])

/** What a provider is asked in. */
export function dialectOf(provider: string): AgentDialect {
  return otherDialects.get(provider) ?? 'openai'
}

/** Who is asked about a model that only the agent itself knows. */
export function usualProvider(dialect: AgentDialect, agent: string): string {
  return dialect === 'none' ? agent : dialect
}
