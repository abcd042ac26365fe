import type { HarnessEvent } from './harness-event.ts'

/** One task for one agent. */
export interface HarnessSpec {
  /** Runtime id of the codon. */
  readonly codonId: string
  /** The id by which the provider knows the model. */
  readonly model: string
  readonly provider: string
  readonly prompt: string
  readonly systemPrompt?: string
  /** The agent workspace; the agent's working directory. */
  readonly cwd: string
  /** The whole environment of the agent; nothing is added from ours. */
  readonly env: Readonly<Record<string, string>>
  /** The session to go on from, without changing it. */
  readonly previousSessionId?: string
  readonly autoCompact: boolean
  /**
   * Asked after every turn that went well: the prompt of one more turn in the same session, or undefined to end. Never
   * asked after an abort.
   */
  readonly nextPrompt: () => string | undefined
}

/**
 * A way to run an agent. One interface for every SDK.
 *
 * `start` never throws and its iteration never rejects: what goes wrong arrives as the `ended` event. `session` comes
 * before any other event, unless the session could not be opened; `ended` comes exactly once and last, also after an
 * abort. When the iteration is over, no process of the agent is left. Aborting `signal` stops the agent as gently as it
 * allows; events of turns that were finished by then are still reported.
 */
export interface Harness {
  start(spec: HarnessSpec, signal: AbortSignal): AsyncIterable<HarnessEvent>
}
