import type { Control } from './control.ts'
import type { Effects } from './effects.ts'
import type { Gating } from './gate-desk.ts'
import type { StartedFrom } from './lineage.ts'
import type { BorderPorts } from './ports.ts'
import type { RuleDeed } from './rule-deed.ts'
import type { RunLifecycleOptions, RunnerEnd } from './run-lifecycle.ts'

export interface Runner extends Control {
  /** Resolves when nothing more will happen. Never rejects. */
  readonly done: Promise<RunnerEnd>
  /** Resolves with its reason when a shutdown is requested, by whatever means, before it has any effect. */
  readonly leaving: Promise<string | undefined>
  /** A rule of the operator was met; what it lets follow comes in its turn. */
  rule(deed: RuleDeed): void
  /** As the command `server.shutdown`, for signals. */
  shutdown(reason: string): void
}

export interface RunnerOptions extends RunLifecycleOptions {
  readonly effects: Effects
  /** Where the first run begins instead of where the last one ended, such as after a rollback that was cut off. */
  readonly startFrom?: StartedFrom | undefined
  /** False: every codon waits for a command; its retries and the end of the run do not. */
  readonly autostart: boolean
  /** Without a client to wait for: begins at once, if it starts by itself at all, and ends with the hank. */
  readonly headless: boolean
  /** Stays up when a headless run is over. */
  readonly keepAlive?: boolean | undefined
  /** A person is at a screen: whatever fails, they decide what becomes of it, and the end waits for them. */
  readonly attended?: boolean | undefined
  readonly gates?: Gating | undefined
  readonly border?: BorderPorts | undefined
}
