import { currentRun, type WeaveState } from '@weave/protocol'
import { openPorts } from './execution-ports.ts'
import { frozenPlan } from './frozen-plan.ts'
import type { Harness } from './harness/index.ts'
import {
  crashOf,
  type Journal,
  type Listener,
  openJournal,
  type Replayed,
  replay,
  writeStateCache,
} from './journal/index.ts'
import {
  createId,
  createRedactor,
  createScope,
  killMarked,
  type Scope,
  secretsOf,
  systemClock,
} from './kit/index.ts'
import { finishOutputs, openOutputRecord } from './output-record.ts'
import type { Plan, PlannedModel } from './plan/index.ts'
import { createRecorder, nothingLeft, type Recorder, type Runner, startRunner } from './runner/index.ts'
import { acquireLock, type ExecutionLayout, type OpenedExecution } from './workspace/index.ts'

export interface ExecutionOptions {
  readonly opened: OpenedExecution
  /** Of the hank as it is now; a resumed execution goes on with its own. */
  readonly plan: Plan
  readonly harnessFor: (model: PlannedModel) => Harness
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly outputDirectory: string
  readonly overwriteOutput: boolean
  readonly ignoreRigFailures: boolean
  readonly autostart: boolean
  readonly headless: boolean
  readonly onEvent: Listener
}

export type StartedExecution =
  | { readonly ok: true; readonly execution: Execution }
  /** All codons are done already. */
  | { readonly ok: true; readonly execution?: never; readonly state: WeaveState }
  | { readonly ok: false; readonly message: string; readonly cure: string }

export interface Execution {
  readonly runner: Runner
  /** What was found and mended at the start, for people. */
  readonly notes: readonly string[]
  state(): WeaveState
  /** Call after `runner.done`: writes the state down, lets go of the lock. Errors come back as text. */
  close(): Promise<readonly string[]>
}

/** Opens one execution and sets it going. The only place that sees every room. */
export async function startExecution(options: ExecutionOptions): Promise<StartedExecution> {
  const { layout } = options.opened
  const scope = createScope()
  const locked = await takeLock(layout, scope)
  if (!locked.ok) return locked
  try {
    return await startLocked(options, scope)
  } catch (error) {
    await scope.close()
    const message = error instanceof Error ? error.message : String(error)
    return {
      ok: false,
      message,
      cure: `Look at ${layout.internals}; the journal there is the record of this execution.`,
    }
  }
}

async function startLocked(options: ExecutionOptions, scope: Scope): Promise<StartedExecution> {
  const { opened, environment } = options
  const { layout } = opened
  const clock = systemClock
  const redactor = createRedactor(secretsOf(environment))
  const journal = await openJournal({ dir: layout.journal, clock, redactor })
  scope.add('journal', () => journal.close())
  journal.subscribe(options.onEvent)
  const replayed = await replay(journal.history, layout.stateFile)
  const recorder = createRecorder(journal, redactor, replayed.state)
  scope.add('state', () => keepState(layout, journal, recorder))

  const plan = (await frozenPlan(journal.history)) ?? freeze(journal, options.plan)
  const notes = [...opened.notes, ...(await recover({ layout, journal, recorder, replayed }))]
  if (nothingLeft(plan, recorder.state)) {
    await scope.close()
    return { ok: true, state: recorder.state }
  }
  const runId = () => currentRun(recorder.state)?.runId ?? ''
  const outputRecord = openOutputRecord(layout)
  const ports = await openPorts({ ...options, plan, layout, journal, clock, outputRecord, runId })
  scope.add('watch', () => ports.close())
  const { autostart, headless } = options
  const runner = startRunner({ plan, journal, recorder, ports, clock, autostart, headless })
  const close = async () => (await scope.close()).map(({ name, error }) => `${name}: ${String(error)}`)
  return { ok: true, execution: { runner, notes, state: () => recorder.state, close } }
}

async function takeLock(layout: ExecutionLayout, scope: Scope) {
  const result = await acquireLock({
    lockFile: layout.lockFile,
    runId: createId('srv'),
    clock: systemClock,
    onLost: () => undefined,
  })
  if (result.kind === 'acquired') {
    scope.add('lock', () => void result.lock.release())
    return { ok: true } as const
  }
  const cure =
    result.kind === 'held' ? 'Wait for it to end, or start another execution with --start-new.' : result.cure
  return { ok: false, message: result.message, cure } as const
}

/** The plan is written down once, when the execution begins; from then on that is what runs. */
function freeze(journal: Journal, plan: Plan): Plan {
  journal.append('preflight.result', { ok: true, problems: [], plan: { ...plan } })
  return plan
}

interface Found {
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly recorder: Recorder
  readonly replayed: Replayed
}

/** Puts right what a crash left behind, and says so. */
async function recover({ layout, journal, recorder, replayed }: Found): Promise<readonly string[]> {
  const notes: string[] = []
  const { repair } = journal
  if (repair && repair.tornBytes > 0)
    notes.push(`The journal had a torn last line; it is kept in ${repair.keptIn ?? 'a file beside it'}.`)
  const bad = replayed.damaged.length + replayed.refused.length
  if (bad > 0) notes.push(`The journal has ${bad} damaged lines, which were passed over.`)
  const crash = crashOf(recorder.state, systemClock.now())
  if (crash) {
    const { killed } = await killMarked(`WEAVE_EXECUTION_ID=${layout.dir}`, { graceMs: 2_000 })
    recorder.record(crash)
    notes.push(
      `The last run ended without saying so; its unfinished codon runs again.${killed.length > 0 ? ` ${killed.length} leftover processes were ended.` : ''}`,
    )
  }
  notes.push(...(await finishOutputs(layout)))
  return notes
}

async function keepState(
  { stateFile }: ExecutionLayout,
  { history, lastSeq }: Journal,
  { state }: Recorder,
): Promise<void> {
  for await (const page of history.pages({ after: lastSeq - 1, upTo: lastSeq })) {
    const stored = page.events[0]
    const event = stored && (await history.event(stored))
    if (event) writeStateCache(stateFile, { state, lastSeq, lastId: event.id })
  }
}
