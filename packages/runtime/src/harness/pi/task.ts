import type { Marker } from '../../kit/index.ts'

/** Everything a worker needs to know: it has no catalogue, reads no settings and looks for no keys of its own. */
export interface AgentTask {
  readonly provider: string
  /** The id by which the provider knows the model. */
  readonly model: string
  /** Tokens; absent where our catalogue does not know the model. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  /** A secret. Absent: the SDK may know a variable of the provider's own. */
  readonly key?: string
  /** The variables that would have held the key. */
  readonly keyVariables: readonly string[]
  /** Where the provider is asked instead of at its usual address. Neither ends in a slash. */
  readonly address?: Address
  readonly cwd: string
  /** The whole environment of the agent's commands, exactly. */
  readonly env: Readonly<Record<string, string>>
  readonly marker: Marker
  /** Where sessions are kept. */
  readonly home: string
  readonly autoCompact: boolean
  readonly prompt: string
  readonly systemPrompt?: string
  /** The session to fork. */
  readonly previousSessionId?: string
}

export interface Address {
  /** Without the version path. */
  readonly root: string
  /** With it. */
  readonly api: string
}

/** What the server tells a worker, one JSON value per line. The first is the task; `abort` may come at any time. */
export type ToWorker =
  | { readonly type: 'task'; readonly task: AgentTask }
  /** One more turn in the same session. */
  | { readonly type: 'prompt'; readonly text: string }
  /** No more turns: end. */
  | { readonly type: 'finish' }
  | { readonly type: 'abort' }
