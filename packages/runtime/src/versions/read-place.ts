import type { WeaveState } from '@weave/protocol'
import { type NamedCheckpoint, nameCheckpoint } from '../at-rest/index.ts'
import { readVersions, type VersionReader } from '../checkpoint/index.ts'
import { findLostJournal, frozenPlan } from '../execution/index.ts'
import { createHistory, type History, replay } from '../journal/index.ts'
import { type Clock, type Failure, messageOf, type Result } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { type ExecutionFile, type ExecutionLayout, readExecutionFile } from '../workspace/index.ts'

export interface ReadPlaceOptions {
  readonly layout: ExecutionLayout
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/** An execution, live or at rest, as its record has it now. Nothing in it is locked or changed. */
export interface ReadPlace extends ReadPlaceOptions {
  readonly file: ExecutionFile
  readonly history: History
  readonly plan: Plan
  readonly state: WeaveState
  readonly versions: VersionReader
  /** What a person means by the name of a checkpoint. */
  named(text: string): Promise<NamedCheckpoint>
}

export type ReadPlaceResult = Result<{ readonly place: ReadPlace }, Failure>

/** Never rejects. */
export async function readPlace(options: ReadPlaceOptions): Promise<ReadPlaceResult> {
  const { layout } = options
  try {
    return await readIn(options)
  } catch (error) {
    return { ok: false, message: messageOf(error), cure: `Look at ${layout.internals}.` }
  }
}

async function readIn(options: ReadPlaceOptions): Promise<ReadPlaceResult> {
  const { layout, environment, clock } = options
  const read = await readExecutionFile(layout.executionFile)
  if (read.kind === 'missing')
    return {
      ok: false,
      message: `${layout.executionFile} is missing.`,
      cure: '"weave list" shows which executions there are.',
    }
  if (read.kind === 'damaged') return { ok: false, message: read.message, cure: read.cure }
  const history = createHistory({ dir: layout.journal, readOnly: true })
  const plan = await frozenPlan(history)
  const { state } = await replay(history, layout.stateFile)
  const lost = findLostJournal(layout, { lastSeq: await history.lastSeq(), hasPlan: plan !== undefined })
  if (lost) return lost
  if (!plan || state.runs.length === 0)
    return { ok: false, message: `${layout.dir} has not begun.`, cure: `Run: weave -e ${layout.dir}` }
  const versions = readVersions({ gitDir: layout.checkpoints, environment, clock })
  // Only the beginning of a sha can mean a safety checkpoint, and to list those takes git a while.
  const named = async (text: string) =>
    nameCheckpoint(text, {
      plan,
      state,
      safeties: /^[0-9a-f]+$/i.test(text) ? await versions.safeties() : [],
    })
  return { ok: true, place: { ...options, file: read.file, history, plan, state, versions, named } }
}
