import type { CheckpointType, CodonStatus, FileNode, ProcessExit } from '@weave/protocol'
import type { Harness } from '../harness/index.ts'
import type { PlannedModel, Step } from '../plan/index.ts'
import type { CodonPrompt } from './codon-prompt.ts'

/**
 * What a codon needs from the rooms around the runner, each as a function that `app.ts` hands in. None of them throws or
 * rejects for something that can go wrong outside: that comes back as a value. All of them end soon after `signal` aborts.
 */
export interface Ports {
  readonly agentRoot: string
  harnessFor(model: PlannedModel): Harness
  /** The whole environment of the agent and of rig commands. */
  environmentOf(step: Step): Readonly<Record<string, string>>
  promptOf(step: Step): Promise<CodonPrompt>
  runRig(step: Step, surroundings: Surroundings): Promise<RigResult>
  copyOutputs(
    step: Step,
    surroundings: Surroundings & { readonly lastCopied?: string | undefined },
  ): Promise<EffectResult>
  /** Moves what `patterns` select into the archive of its owner, a runtime id or a loop id. */
  archive(owner: string, patterns: readonly string[], step: Step): Promise<EffectResult>
  /** Versions the workspace; undefined when nothing keeps versions. Durable when it resolves. */
  checkpoint(type: CheckpointType, step: Step, status: CodonStatus): Promise<string | undefined>
  /** Puts the workspace back to where a codon began. Nothing to go back to: does nothing. */
  restore(sha: string): Promise<EffectResult>
  /** Also watches what a codon checkpoints from now on. */
  watch(patterns: readonly string[]): Promise<void>
  /** Resolves when all changes of files until now are told. */
  settleFiles(): Promise<void>
  /** A tool of the agent was at work: files may have changed. */
  hintFiles(): void
  fileTree(): Promise<readonly FileNode[]>
}

export interface Surroundings {
  readonly signal: AbortSignal
  readonly env: Readonly<Record<string, string>>
  readonly onOutput: (operation: number, stream: 'stdout' | 'stderr', text: string) => void
}

export type RigResult =
  | { readonly ok: true; readonly lastCopied?: string }
  | { readonly ok: false; readonly message: string; readonly exit?: ProcessExit; readonly retriable: boolean }

export type EffectResult =
  | { readonly ok: true; readonly files: readonly string[]; readonly notes?: readonly string[] }
  | { readonly ok: false; readonly message: string }
