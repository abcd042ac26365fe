import type { WeaveState } from '@weave/protocol'
import { type NamedCheckpoint, nameCheckpoint } from '../at-rest/index.ts'
import { readVersions, type VersionReader } from '../checkpoint/index.ts'
import { findLostJournal, frozenPlan } from '../execution/index.ts'
import {
  createHistory,
  type History,
  type JournalSurvey,
  replay,
  stateIn,
  surveyJournal,
} from '../journal/index.ts'
import { type Clock, type Failure, messageOf, type Result } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { type ExecutionFile, type ExecutionLayout, readExecutionFile } from '../workspace/index.ts'

export interface ReadPlaceOptions {
  readonly layout: ExecutionLayout
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Reads its whole journal, once, for somebody who will ask more of it. */
  readonly surveys?: boolean
}

/** An execution, live or at rest, as its record has it now. Nothing in it is locked or changed. */
export interface ReadPlace extends ReadPlaceOptions {
  readonly file: ExecutionFile
  readonly history: History
  /** When the journal was read as a whole. */
  readonly survey?: JournalSurvey | undefined
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
  const survey = options.surveys ? await surveyJournal(history) : undefined
  const plan = await frozenPlan(survey ?? history)
  const state = survey ? await stateIn(survey) : (await replay(history, layout.stateFile)).state
  const lastSeq = survey?.lastSeq ?? (await history.lastSeq())
  const lost = findLostJournal(layout, { lastSeq, hasPlan: plan !== undefined })
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
  return { ok: true, place: { ...options, file: read.file, history, survey, plan, state, versions, named } }
}
