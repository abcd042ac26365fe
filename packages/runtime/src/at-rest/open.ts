import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import type { WeaveState } from '@weave/protocol'
import {
  createActivities,
  findLostJournal,
  frozenPlan,
  holdExecution,
  openCheckpointEffects,
  putRight,
} from '../execution/index.ts'
import { createHistory, openJournal, replay } from '../journal/index.ts'
import {
  type Clock,
  createRedactor,
  createScope,
  type Failure,
  messageOf,
  type Refused,
  type Result,
  type Scope,
  secretsOf,
} from '../kit/index.ts'
import { createRecorder, openAtRest, type Recorder, type RestOptions } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface PlaceOptions {
  readonly layout: ExecutionLayout
  /** Of this process: what its secrets are must not be written down. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

type Writing = Result<{ readonly rest: RestOptions; readonly notes: readonly string[] }, Failure>

type Opened = Extract<Awaited<ReturnType<typeof openIn>>, { readonly ok: true }>

/** An execution in which nothing runs, held by us. Nothing in it changes before `write`. */
export type StoppedPlace = Opened['place']

/** Takes the lock; on a read-only disk there is none to take, and the execution is opened for reading. Never rejects. */
export async function openPlace(options: PlaceOptions): Promise<Opened | Refused<Failure>> {
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

async function openIn(scope: Scope, options: PlaceOptions) {
  const { environment, clock } = options
  let { layout } = options
  const locked = await holdPlace(options, scope)
  if (!locked.ok && !locked.isReadOnly) return locked
  const assertHeld = locked.ok ? locked.lock.assertHeld : () => undefined
  const history = createHistory({ dir: layout.journal })
  const plan = await frozenPlan(history)
  const { state } = await replay(history, layout.stateFile)
  const lost = findLostJournal(layout, { lastSeq: await history.lastSeq(), hasPlan: plan !== undefined })
  if (lost) return lost
  if (!plan || state.runs.length === 0)
    return {
      ok: false as const,
      message: `${layout.dir} has not begun.`,
      cure: `Run: weave -e ${layout.dir}`,
    }
  const warnings: string[] = []
  let recorder: Recorder | undefined
  const current = (): WeaveState => recorder?.state ?? state
  const warn = (message: string): void => void warnings.push(message)
  if (!locked.ok) layout = { ...layout, checkpoints: await writableStore(layout, scope) }
  const activities = createActivities(clock)
  const given = { plan, layout, clock, environment, assertHeld, state: current, warn, activities }
  const versions = await openCheckpointEffects(given)
  if (!versions.ok) return versions
  scope.add('checkpoints', () => versions.store.close())
  const { checkpoints, rollback, recovering, store, selection } = versions
  const effects = { checkpoints, rollback }
  const { planRestore, rigMissing } = recovering
  const place = {
    layout,
    plan,
    clock,
    history,
    store,
    effects,
    planRestore,
    rigMissing,
    /** The files of all codons that were ever started. */
    selection,
    state: current,
    /** Opens the record, and puts right what a crash or a rollback that was cut off left behind. Call it once. */
    async write(): Promise<Writing> {
      if (!locked.ok) return locked
      const { runId, tookOver } = locked
      const record = await openRecord({ ...options, layout }, assertHeld, scope)
      recorder = record.recorder
      const { journal, replayed } = record
      const rest = { plan, journal, recorder, clock, effects, firstRunId: runId }
      const found = { layout, journal, recorder, replayed, plan, rollback, recovering, tookOver }
      const recovered = await putRight(found)
      if (!recovered.ok) return recovered
      if (recovered.startFrom) openAtRest(rest, recovered.startFrom)
      return { ok: true, rest, notes: recovered.notes }
    },
  }
  // `warnings`: what happened to files on the way and a person should hear.
  return { ok: true as const, place, warnings, close: async () => void (await scope.close()) }
}

async function openRecord(
  { layout, clock, environment }: PlaceOptions,
  assertHeld: () => void,
  scope: Scope,
) {
  const redactor = createRedactor(secretsOf(environment))
  const journal = await openJournal({ dir: layout.journal, clock, redactor, assertHeld })
  scope.add('journal', () => journal.close())
  const isCacheTrusted = journal.findings.otherWriter === undefined
  const replayed = await replay(journal.history, layout.stateFile, { isCacheTrusted })
  return { journal, replayed, recorder: createRecorder(journal, redactor, replayed.state) }
}

/** Nobody else may work in an execution while we do. A server that is at work is left alone. */
export async function holdPlace({ layout, clock }: Pick<PlaceOptions, 'layout' | 'clock'>, scope: Scope) {
  const whenHeld = `Stop it first: weave stop ${layout.dir}; or go back on its screen: weave attach --steer ${layout.dir}`
  const held = await holdExecution({ layout, clock, whenHeld }, scope)
  if (held.ok || held.cure !== whenHeld) return held
  return { ...held, message: `A run is going on: ${held.message}` }
}

/**
 * A store of checkpoints beside one whose disk cannot be written, gone with the scope: comparing files with a checkpoint
 * stores them first. Packs, which are large and never change, are linked; the rest is copied. Rejects with the system's
 * error.
 */
async function writableStore({ checkpoints }: ExecutionLayout, scope: Scope): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'weave-checkpoints-'))
  scope.add('copied checkpoints', () => rm(dir, { recursive: true, force: true }))
  const packs = join(checkpoints, 'objects', 'pack')
  const isPack = (path: string): boolean => path.startsWith(packs + sep)
  await cp(checkpoints, dir, { recursive: true, filter: path => !isPack(path) })
  for (const name of await readdir(packs))
    await symlink(join(packs, name), join(dir, 'objects', 'pack', name))
  return dir
}
