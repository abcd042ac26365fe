import { type Clock, createId, type Scope } from '../kit/index.ts'
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
