import type { HarnessEvent } from './harness-event.ts'

/** One task for one agent. */
export interface HarnessSpec {
  /** Runtime id of the codon. */
  readonly codonId: string
  readonly model: string
  readonly prompt: string
  readonly systemPrompt?: string
  /** The agent workspace; the agent's working directory. */
  readonly cwd: string
  /** The whole environment of the agent; nothing is added from ours. */
  readonly env: Readonly<Record<string, string>>
  /** The session to go on from, without changing it. */
  readonly previousSessionId?: string
}

/**
 * A way to run an agent. One interface for every SDK.
 *
 * `start` never throws and its iteration never rejects: what goes wrong arrives as the `ended` event. `session` comes
 * before any other event; `ended` comes exactly once and last, also after an abort. When the iteration is over, no
 * process of the agent is left. Aborting `signal` stops the agent as gently as it allows; events of turns that were
 * finished by then are still reported.
 */
export interface Harness {
  start(spec: HarnessSpec, signal: AbortSignal): AsyncIterable<HarnessEvent>
}
