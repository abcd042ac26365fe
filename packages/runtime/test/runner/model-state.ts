import type { CheckpointType, CheckpointWord, CommandType, ErrorCode } from '@weave/protocol'
import type { Plan } from '../../src/plan/index.ts'
import { firstName, nameAfter, placeOf } from './model-plan.ts'

/** What the model of the runner remembers, and the small changes that all of it is made of. */
export interface Model {
  readonly plan: Plan
  readonly headless: boolean
  readonly autostart: boolean
  /** The version of the workspace before everything. */
  readonly beginning: string
  /** `codon`: one runs. `waiting`: for the next attempt at `current`. `over`: the server is gone. */
  readonly activity: 'idle' | 'codon' | 'waiting' | 'rollback' | 'over'
  /** What happens by itself between codons: all, all but the start of another codon, nothing. */
  readonly byItself: 'all' | 'no-start' | 'nothing'
  readonly current?: Current | undefined
  /** A stop that was accepted for what goes on now; the first one counts. */
  readonly stop?: Stop | undefined
  /** A rollback that was accepted; what runs is stopped first. */
  readonly rollback?: Rollback | undefined
  readonly shuttingDown: boolean
  readonly sawClient: boolean
  readonly runs: readonly ModelRun[]
  /** The codons that the present run stands on, its own included. */
  readonly thread: readonly Done[]
  /** How often the agent was called. */
  readonly calls: number
  /** How many codons were started. */
  readonly starts: number
  /** What an onlooker must have seen by now, in order. */
  readonly lines: readonly string[]
  /** The versions that the workspace was put back to, in order. */
  readonly restores: readonly string[]
  readonly end?: 'completed' | 'failed' | 'stopped' | undefined
}

export type Stop = 'skip' | 'force' | 'shutdown' | 'rollback'

export type Checkpoints = Readonly<Partial<Record<CheckpointType, string>>>

export type Status = 'completed' | 'failed' | 'skipped'

/** One attempt at a codon, as far as it has come. */
export interface Entry {
  /** No other attempt has it. */
  readonly key: number
  readonly id: string
  readonly attempt: number
  /** Absent while it has no end. */
  readonly status?: Status | undefined
  readonly checkpoints: Checkpoints
}

export interface Current extends Entry {
  /** The number of the call of the agent; undefined until its session is there. */
  readonly call?: number
  /** Skipped before it began: it never gets to its agent. */
  readonly stillborn: boolean
  /** The workspace is as its rig leaves it: that does not run. */
  readonly withoutRig: boolean
}

export interface Done extends Entry {
  readonly status: Status
  readonly retriable: boolean
  readonly full: boolean
  readonly hasSession: boolean
  readonly hint?: number | undefined
  /** Ended by a person or a shutdown, not by a failure of its own. */
  readonly isInterrupted: boolean
}

export interface ModelRun {
  readonly status: 'running' | 'completed' | 'failed' | 'stopped'
  /** What it went on from. */
  readonly base: readonly Done[]
  readonly codons: readonly Done[]
  /** Its first codon, when that is not the one after the last of `base`. */
  readonly entry?: Next | undefined
}

/** A codon that would be next. */
export interface Next {
  readonly id: string
  readonly withoutRig: boolean
}

/** Where a rollback leads; without `key` to the beginning of everything. */
export interface Target {
  readonly key?: number
  readonly id: string
  readonly type: CheckpointType
  readonly sha: string
}

export interface Rollback {
  readonly target: Target
  readonly autoRestart: boolean
}

export interface Ask {
  readonly type: CommandType
  readonly codonId: string
  readonly word: CheckpointWord
  readonly prefix: string
  readonly autoRestart: boolean
  readonly skipPreCommands: boolean
}

export type Answer = 'ok' | ErrorCode

/** How an agent ends one turn if nobody stops it. `hang`: it does not. */
export type Turn =
  | { readonly kind: 'succeed' | 'final' | 'full' | 'hang' | 'hang-in-tool' }
  | { readonly kind: 'retriable'; readonly hint?: number | undefined }

export function told(model: Model, ...lines: readonly string[]): Model {
  return { ...model, lines: [...model.lines, ...lines] }
}

export function openRun({ runs }: Model): ModelRun | undefined {
  const run = runs.at(-1)
  return run?.status === 'running' ? run : undefined
}

/** The codon that a person means by the next one. */
export function nextOf({ plan, runs, thread }: Model): Next | undefined {
  const run = runs.at(-1)
  if (run?.entry && run.codons.length === 0) return run.entry
  const last = thread.at(-1)
  const id = last ? nameAfter(plan, last) : firstName(plan, 0)
  return id === undefined ? undefined : { id, withoutRig: false }
}

export const endTypes = { completed: 'completed', failed: 'error', skipped: 'skipped' } as const

function endSha({ status, checkpoints }: Entry): string | undefined {
  return status && checkpoints[endTypes[status]]
}

/** The version of the workspace that the next attempt at a codon begins with. */
export function startSha({ beginning }: Model, thread: readonly Entry[], id: string): string {
  const earlier = thread.findLast(each => each.id !== id)
  return (earlier && endSha(earlier)) ?? beginning
}

export function restored(model: Model, sha: string): Model {
  return { ...model, restores: [...model.restores, sha] }
}

export function closeRun(
  model: Model,
  status: 'completed' | 'failed' | 'stopped',
  ...between: readonly string[]
): Model {
  const run = openRun(model)
  if (!run) return model
  const runs = [...model.runs.slice(0, -1), { ...run, status }]
  return told({ ...model, runs }, `run ${status}`, ...between, `summary ${status}`)
}

/** `entry`: where it begins, when that is not after the last codon of the thread. */
export function newRun(
  model: Model,
  thread: readonly Done[],
  entry?: Next & { readonly sha: string },
): Model {
  const last = thread.at(-1)
  const from = entry?.id ?? last?.id ?? 'the beginning'
  const sha = entry?.sha ?? (last && endSha(last)) ?? model.beginning
  const run: ModelRun = { status: 'running', base: thread, codons: [], entry }
  return told({ ...model, thread, runs: [...model.runs, run] }, `run from ${from}`, `at ${sha}`)
}

export function begin(
  model: Model,
  { id, withoutRig }: Next,
  { attempt, stillborn = false }: { readonly attempt: number; readonly stillborn?: boolean },
): Model {
  const key = model.starts
  const current: Current = { key, id, attempt, checkpoints: {}, stillborn, withoutRig }
  const stop = stillborn ? ('skip' as const) : undefined
  return told({ ...model, activity: 'codon', starts: key + 1, current, stop }, `start ${id} ${attempt}`)
}

export function over(model: Model, end: 'completed' | 'failed' | 'stopped'): Model {
  return { ...model, activity: 'over', end }
}

/** Whether the plan goes on after it. */
export function isPassed(plan: Plan, { id, status }: Done): boolean {
  return status !== 'failed' || placeOf(plan, id)?.codon.onFailure === 'ignore'
}

/** The server goes. A hank whose last codon came to its end is done. */
export function gone(model: Model): Model {
  const last = openRun(model)?.codons.at(-1)
  if (last && !last.isInterrupted && isPassed(model.plan, last) && !nextOf(model))
    return over(closeRun({ ...model, activity: 'idle' }, 'completed'), 'completed')
  if (model.runs.at(-1)?.status === 'completed') return over(model, 'completed')
  return over(closeRun({ ...model, activity: 'idle' }, 'stopped'), 'stopped')
}
