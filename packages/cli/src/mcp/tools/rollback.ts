import {
  openStoppedExecution,
  type RollbackPreview,
  type RollbackWish,
  readLastSeq,
  type StoppedExecution,
  systemClock,
} from '@weave/runtime'
import { plural } from '../../terminal.ts'
import { type Answer, failure, value } from '../answers.ts'
import { unconfirmed } from '../confirm.ts'
import type { Matter } from '../confirmations.ts'
import { executionNamed, isHeld, type NamedExecution } from '../places.ts'
import type { Call, Run, Surroundings } from '../tool.ts'
import type { Inputs } from './inputs.ts'

export const previewRollback: Run<Inputs['preview_rollback']> = async (input, at) => {
  const { to, undo } = input
  if ((to === undefined) === !undo)
    return failure('INVALID_COMMAND', 'Say where to go back to: either to, or undo: true.')
  const wish: RollbackWish = to === undefined ? { undo: true } : { to }
  return inStopped(input.execution, at, async ({ named, execution }) => {
    const seen = await previewed(execution, named, wish)
    if (!seen.ok) return seen.answer
    return value({
      execution: named.name,
      preview: shortened(seen.preview),
      token: at.confirmations.give('preview', seen.matter),
    })
  })
}

export const rollback: Run<Inputs['rollback']> = ({ execution, to, token }, at, call) =>
  goBack({ name: execution, wish: { to }, token }, at, call)

export const undoRollback: Run<Inputs['undo_rollback']> = ({ execution, token }, at, call) =>
  goBack({ name: execution, wish: { undo: true }, token }, at, call)

interface Wanted {
  readonly name: string
  readonly wish: RollbackWish
  readonly token: string | undefined
}

/** Previewed, confirmed and done while nobody else can work in the execution. */
function goBack({ name, wish, token }: Wanted, at: Surroundings, call: Call): Promise<Answer> {
  return inStopped(name, at, async ({ named, execution }) => {
    const seen = await previewed(execution, named, wish)
    if (!seen.ok) return seen.answer
    const tokenFrom = 'undo' in wish ? 'preview_rollback with undo: true' : 'preview_rollback'
    const message = questionAbout(named.name, seen.preview)
    const refused = unconfirmed({ matter: seen.matter, message, token, tokenFrom }, at, call)
    if (refused) return refused
    const done = await at.whole(execution.rollBack(wish))
    if (!done.ok) return failure('ROLLBACK_FAILED', [done.message, done.cure ?? ''].join(' ').trim())
    return value({
      execution: named.name,
      done: shortened(done.preview),
      runId: done.runId,
      notes: [...done.notes, ...execution.warnings],
    })
  })
}

interface Held {
  readonly named: NamedExecution
  readonly execution: StoppedExecution
}

async function inStopped(
  word: string,
  at: Surroundings,
  work: (held: Held) => Promise<Answer>,
): Promise<Answer> {
  const named = await executionNamed(word, at)
  if (!named.ok) return named.answer
  const { layout, name } = named
  if (await isHeld(layout))
    return failure(
      'EXECUTION_BUSY',
      `A run is going on in ${name}. Stop it first: stop_run, or weave stop ${name}.`,
    )
  const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
  if (!opened.ok) return failure('EXECUTION_BUSY', `${opened.message} ${opened.cure}`)
  try {
    return await work({ named, execution: opened.execution })
  } finally {
    await opened.execution.close()
  }
}

type Seen =
  | { readonly ok: true; readonly preview: RollbackPreview; readonly matter: Matter }
  | { readonly ok: false; readonly answer: Answer }

/** The yes to a rollback is one to this target, as the execution is now. */
async function previewed(
  execution: StoppedExecution,
  { layout }: NamedExecution,
  wish: RollbackWish,
): Promise<Seen> {
  const seen = await execution.preview(wish)
  if (!seen.ok)
    return {
      ok: false,
      answer: failure('UNKNOWN_CHECKPOINT', `${seen.message} list_checkpoints lists what there is.`),
    }
  const { preview } = seen
  const tool = 'undo' in wish ? 'undo_rollback' : 'rollback'
  const at = String(await readLastSeq(layout))
  return { ok: true, preview, matter: { tool, execution: layout.dir, what: preview.sha, at } }
}

const mostPaths = 100

/** Paths are counted, and the first of them named. */
function shortened(preview: RollbackPreview): object {
  const short = (paths: readonly string[]) => ({ count: paths.length, paths: paths.slice(0, mostPaths) })
  return {
    label: preview.label,
    sha: preview.sha,
    create: short(preview.create),
    change: short(preview.change),
    delete: short(preview.delete),
    movedAside: short(preview.movedAside),
    unarchived: short(preview.unarchived),
    rigCopies: short(preview.rigCopies),
    unchanged: preview.unchanged,
    undone: preview.undone,
    outputsThatStay: preview.outputs.map(({ codonId, directory, files }) => ({
      codonId,
      directory,
      count: files.length,
    })),
    next: preview.next,
  }
}

/** What a person is asked. Names come from a hank and from agents: they are cut, and no more than a few. */
function questionAbout(name: string, preview: RollbackPreview): string {
  const { label, create, change, delete: removed, undone } = preview
  const codons = undone.length === 0 ? 'no codon' : plural(undone.length, 'codon')
  const some = undone.length === 0 ? '' : ` (${undone.slice(0, 5).join(', ')})`
  return [
    `Roll ${name} back to ${label}?`,
    `${plural(create.length + change.length, 'file')} change, ${removed.length} deleted, ${codons} undone${some}.`,
    'Dollars spent stay spent. undo_rollback takes it back.',
  ].join(' ')
}
