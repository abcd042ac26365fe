import type { WeaveState } from '@weave/protocol'
import type { CheckpointStore } from '../checkpoint/index.ts'
import {
  type CheckpointPorts,
  findLostJournal,
  frozenPlan,
  holdExecution,
  openCheckpointPorts,
  openRollbackRecord,
  putRight,
} from '../execution/index.ts'
import { createHistory, type History, openJournal, replay } from '../journal/index.ts'
import { type Clock, createRedactor, createScope, messageOf, type Scope, secretsOf } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { createRecorder, openAtRest, type Recorder, type RestOptions } from '../runner/index.ts'
import type { Selection } from '../tree/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { writableStore } from './read-only-store.ts'

export interface PlaceOptions {
  readonly layout: ExecutionLayout
  /** Of this process: what its secrets are must not be written down. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/** An execution in which nothing runs, held by us. Nothing in it changes before `write`. */
export interface StoppedPlace {
  readonly layout: ExecutionLayout
  readonly plan: Plan
  readonly clock: Clock
  readonly history: History
  readonly store: CheckpointStore
  readonly ports: RestOptions['ports']
  /** The files of all codons that were ever started. */
  selection(): Selection
  state(): WeaveState
  /** What a restore would do. Nothing in the workspace changes. */
  planRestore: CheckpointPorts['planRestore']
  /** What the rig of a codon had copied and is not there now. */
  rigMissing: CheckpointPorts['rigMissing']
  /** Opens the record, and puts right what a crash or a rollback that was cut off left behind. Call it once. */
  write(): Promise<Writing>
}

export type Writing =
  | { readonly ok: true; readonly rest: RestOptions; readonly notes: readonly string[] }
  | PlaceFailure

export interface PlaceFailure {
  readonly ok: false
  readonly message: string
  readonly cure: string
}

export type OpenedPlace =
  | {
      readonly ok: true
      readonly place: StoppedPlace
      /** What happened to files on the way and a person should hear. */
      readonly warnings: readonly string[]
      close(): Promise<void>
    }
  | PlaceFailure

/** Takes the execution for ourselves; where its disk cannot be written there is nothing to take, and it can be looked at. Never rejects. */
export async function openPlace(options: PlaceOptions): Promise<OpenedPlace> {
  const scope = createScope()
  try {
    const opened = await openIn(scope, options)
    if (!opened.ok) await scope.close()
    return opened
  } catch (error) {
    await scope.close()
    const message = messageOf(error)
    return { ok: false, message, cure: `Look at ${options.layout.internals}.` }
  }
}

async function openIn(scope: Scope, options: PlaceOptions): Promise<OpenedPlace> {
  const { environment, clock } = options
  let { layout } = options
  const locked = await holdPlace(options, scope)
  if (!locked.ok && !locked.isReadOnly) return locked
  const assertHeld = locked.ok ? locked.lock.assertHeld : () => undefined
  const history = createHistory({ dir: layout.journal })
  const plan = await frozenPlan(history)
  let { state } = await replay(history, layout.stateFile)
  const lost = findLostJournal(layout, { lastSeq: await history.lastSeq(), hasPlan: plan !== undefined })
  if (lost) return lost
  if (!plan || state.runs.length === 0)
    return { ok: false, message: `${layout.dir} has not begun.`, cure: `Run: weave -e ${layout.dir}` }
  const warnings: string[] = []
  let recorder: Recorder | undefined
  const current = (): WeaveState => recorder?.state ?? state
  const warn = (message: string): void => void warnings.push(message)
  if (!locked.ok) layout = { ...layout, checkpoints: await writableStore(layout, scope) }
  const versions = await openCheckpointPorts({
    plan,
    layout,
    clock,
    environment,
    assertHeld,
    state: current,
    warn,
  })
  if (!versions.ok) return versions
  scope.add('checkpoints', () => versions.store.close())
  const ports = { ...versions.ports, rollbackIntent: openRollbackRecord(layout, assertHeld) }
  const place: StoppedPlace = {
    layout,
    plan,
    clock,
    history,
    store: versions.store,
    ports,
    selection: versions.selection,
    state: current,
    planRestore: versions.ports.planRestore,
    rigMissing: versions.ports.rigMissing,
    async write() {
      if (!locked.ok) return locked
      const { runId, tookOver } = locked
      const redactor = createRedactor(secretsOf(environment))
      const journal = await openJournal({ dir: layout.journal, clock, redactor, assertHeld })
      scope.add('journal', () => journal.close())
      const isCacheTrusted = journal.findings.otherWriter === undefined
      const replayed = await replay(journal.history, layout.stateFile, { isCacheTrusted })
      state = replayed.state
      recorder = createRecorder(journal, redactor, replayed.state)
      const rest = { plan, journal, recorder, clock, ports, firstRunId: runId }
      const recovered = await putRight({ layout, replayed, tookOver, ...rest })
      if (!recovered.ok) return recovered
      if (recovered.startFrom) openAtRest(rest, recovered.startFrom)
      return { ok: true, rest, notes: recovered.notes }
    },
  }
  return { ok: true, place, warnings, close: async () => void (await scope.close()) }
}

/** Nobody else may work in an execution while we do. A server that is at work is left alone. */
export async function holdPlace({ layout, clock }: Pick<PlaceOptions, 'layout' | 'clock'>, scope: Scope) {
  const whenHeld = `Stop it first; or let a client send it rollback.toCodon or rollback.toCheckpoint. "weave attach ${layout.dir}" shows what it does.`
  const held = await holdExecution({ layout, clock, whenHeld }, scope)
  if (held.ok || held.cure !== whenHeld) return held
  return { ...held, message: `A run is going on: ${held.message}` }
}
