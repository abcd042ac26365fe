import { ensureDir } from '../files/index.ts'
import {
  type Journal,
  type Listener,
  openJournal,
  replay,
  saidUpTo,
  writeStateCache,
} from '../journal/index.ts'
import {
  type Clock,
  createFileLog,
  createId,
  createRedactor,
  type LogLevel,
  type Scope,
  secretsOf,
  systemClock,
} from '../kit/index.ts'
import { createRecorder, type Recorder } from '../runner/index.ts'
import { acquireLock, type ExecutionLayout, type ExecutionLock } from '../workspace/index.ts'

export interface HoldWish {
  readonly layout: ExecutionLayout
  readonly clock: Clock
  /** Called once, when the execution is no longer ours: nothing more may be written in it. Must not throw. */
  readonly onLost?: ((reason: string) => void) | undefined
  /** What to do when a server is at work in it. */
  readonly whenHeld: string
}

export interface HeldExecution {
  readonly ok: true
  readonly lock: ExecutionLock
  /** Of the run that is opened first. */
  readonly runId: string
  /** Somebody held it before and had not let go: what it started may still run. */
  readonly tookOver: boolean
  /** What was found, for people. */
  readonly notes: readonly string[]
}

export interface NotHeld {
  readonly ok: false
  readonly message: string
  readonly cure: string
  /** Nobody can work in it here: its disk cannot be written. */
  readonly isReadOnly?: boolean | undefined
}

/** Takes the lock of an execution until the scope ends. Nobody else may work in it while we do. Never rejects. */
export async function holdExecution(
  { layout, clock, onLost, whenHeld }: HoldWish,
  scope: Scope,
): Promise<HeldExecution | NotHeld> {
  const { lockFile, dir } = layout
  const runId = createId('run')
  const lost = (reason: string): void =>
    onLost?.(`This process does not hold ${dir} any more: ${reason}. It writes nothing more.`)
  const result = await acquireLock({ lockFile, runId, clock, onLost: lost })
  if (result.kind === 'held') return { ok: false, message: `${result.message}.`, cure: whenHeld }
  if (result.kind === 'failed') {
    const { message, cure, isReadOnly } = result
    return { ok: false, message, cure, isReadOnly }
  }
  const { lock, tookOver, keptAside } = result
  scope.add('lock', () => void lock.release())
  const notes =
    keptAside === undefined ? [] : [`${lockFile} did not say who held it; it is kept as ${keptAside}.`]
  return { ok: true, lock, runId, tookOver: tookOver !== undefined, notes }
}

interface RecordOptions {
  readonly layout: ExecutionLayout
  readonly lock: ExecutionLock
  readonly secrets: Readonly<Record<string, string | undefined>>
  readonly logLevel: LogLevel
  readonly onEvent: Listener
}

export type OpenedRecord = Awaited<ReturnType<typeof openRecord>>

/** Everything that is written down: the journal, the state folded from it, the log. All of it only while the lock is ours. */
export async function openRecord(options: RecordOptions, scope: Scope) {
  const { layout, lock, secrets, logLevel, onEvent } = options
  const { assertHeld } = lock
  const redactor = createRedactor(secretsOf(secrets))
  for (const directory of [layout.logs, layout.agents]) await ensureDir(directory)
  const log = createFileLog({
    path: layout.serverLog,
    level: logLevel,
    redact: redactor.text,
    maxBytes: 16 << 20,
    clock: systemClock,
    assertHeld,
  })
  scope.add('log', () => log.close())
  const journal = await openJournal({
    dir: layout.journal,
    clock: systemClock,
    redactor,
    assertHeld,
    onFailure: failure => log.error('JOURNAL', failure.message),
    onListenerError: error => log.error('JOURNAL', `a listener failed: ${String(error)}`),
  })
  scope.add('journal', () => journal.close())
  journal.subscribe(onEvent)
  journal.subscribe(({ event }) => {
    if (event.type === 'error') log.warn('RUN', event.data.message)
    if (event.type === 'rig.output') log.info('RIG', event.data.text, { codon: event.data.codonId })
  })
  // What two writers made of a state at once is no state of either.
  const isCacheTrusted = journal.findings.otherWriter === undefined
  const replayed = await replay(journal.history, layout.stateFile, { isCacheTrusted })
  const recorder = createRecorder(journal, redactor, replayed.state)
  scope.add('state', () => keepState({ layout, lock }, journal, recorder))
  return { journal, recorder, redactor, replayed, log }
}

async function keepState(
  { layout, lock }: Pick<RecordOptions, 'layout' | 'lock'>,
  { history, lastSeq }: Journal,
  { state }: Recorder,
): Promise<void> {
  for await (const page of history.pages({ after: lastSeq - 1, upTo: lastSeq })) {
    const stored = page.events[0]
    const event = stored && (await history.event(stored))
    if (!event) continue
    lock.assertHeld()
    const said = saidUpTo(layout.journal, lastSeq)
    writeStateCache(layout.stateFile, { state, lastSeq, lastId: event.id, said })
  }
}
