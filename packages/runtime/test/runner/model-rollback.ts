import type { CheckpointType } from '@weave/protocol'
import { firstName, placeOf } from './model-plan.ts'
import {
  type Answer,
  type Ask,
  begin,
  closeRun,
  type Done,
  type Entry,
  endTypes,
  gone,
  type Model,
  newRun,
  nextOf,
  restored,
  type Target,
  told,
} from './model-state.ts'

/** What part 3 of the specification and section 7 of the decisions say about rollbacks, for the model of the runner. */

type Found = { readonly target: Target } | { readonly refusal: Answer }

const unknown: Found = { refusal: 'UNKNOWN_CHECKPOINT' }

/** What a rollback command means at this moment. */
export function targetOf(model: Model, ask: Ask): Found {
  if (ask.type === 'rollback.toCheckpoint') return byPrefix(model, ask.prefix)
  if (ask.type === 'rollback.toCodon') return byCodon(model, ask)
  const last = presentThread(model).findLast(({ status }) => status === 'completed')
  return last ? found(last, 'completed') : unknown
}

/** Every checkpoint of every run can be named, and the beginning. */
function byPrefix(model: Model, prefix: string): Found {
  const entries = [...model.runs.flatMap(({ codons }) => codons), ...currentOf(model)]
  const fits = entries.flatMap(entry =>
    checkpointTypes.flatMap(type => {
      const sha = entry.checkpoints[type]
      return sha?.startsWith(prefix) ? [{ entry, type }] : []
    }),
  )
  const isBeginning = model.beginning.startsWith(prefix)
  const [first] = fits
  if (fits.length + (isBeginning ? 1 : 0) > 1) return { refusal: 'AMBIGUOUS_CHECKPOINT' }
  if (isBeginning) return { target: beginningOf(model) }
  return first ? found(first.entry, first.type) : unknown
}

const checkpointTypes = ['rig-setup', 'completed', 'error', 'skipped'] as const

/** The newest attempt that has what is asked for: of this thread, else of what was left behind. */
function byCodon(model: Model, { codonId, word }: Ask): Found {
  const { plan, runs } = model
  const isLoopCodon = plan.items.some(
    item => item.kind === 'loop' && item.codons.some(({ id }) => id === codonId),
  )
  if (!placeOf(plan, codonId) && !isLoopCodon) return { refusal: 'UNKNOWN_CODON' }
  const isMeant = ({ id }: Entry): boolean => (isLoopCodon ? id.split('#')[0] === codonId : id === codonId)
  const older = runs.map(({ base, codons }) => [...base, ...codons]).toReversed()
  for (const thread of [presentThread(model), ...older]) {
    for (const [at, entry] of [...thread.entries()].toReversed()) {
      const target = isMeant(entry) ? named(model, thread.slice(0, at + 1), word) : undefined
      if (target) return target
    }
  }
  return unknown
}

/** What a word means for the last entry of a thread. */
function named(model: Model, thread: readonly Entry[], word: Ask['word']): Found | undefined {
  const entry = thread.at(-1)
  if (!entry) return undefined
  const has = (each: Entry | undefined, type: CheckpointType | undefined): Found | undefined =>
    each && type && each.checkpoints[type] ? found(each, type) : undefined
  const endOf = (each: Entry | undefined): Found | undefined =>
    has(each, each?.status && endTypes[each.status])
  if (word === 'end') return endOf(entry)
  if (word !== 'start') return has(entry, word)
  const earlier = thread.findLast(({ id }) => id !== entry.id)
  if (entry.checkpoints['rig-setup']) return found(entry, 'rig-setup')
  return earlier ? endOf(earlier) : { target: beginningOf(model) }
}

function found({ key, id, checkpoints }: Entry, type: CheckpointType): Found {
  return { target: { key, id, type, sha: checkpoints[type] ?? '' } }
}

function beginningOf({ plan, beginning }: Model): Target {
  return { id: firstName(plan, 0) ?? '', type: 'rig-setup', sha: beginning }
}

function presentThread(model: Model): readonly Entry[] {
  return [...model.thread, ...currentOf(model)]
}

/** The codon that runs; none while an attempt is only waited for. */
function currentOf({ activity, current }: Model): readonly Entry[] {
  return activity === 'codon' && current ? [current] : []
}

/** Nothing runs any more: the workspace goes back. */
export function startRollback(model: Model): Model {
  const { rollback } = model
  if (!rollback) return model
  const { target } = rollback
  const kept = new Set(keptBy(model, target).map(({ key }) => key))
  const undone = model.thread.filter(({ key }) => !kept.has(key)).toReversed()
  const words = [target.id, target.type, 'undoes', ...undone.map(({ id }) => id)]
  return told(restored({ ...model, activity: 'rollback' }, target.sha), `rollback to ${words.join(' ')}`)
}

/** The workspace is there: the run is closed, and one opened that goes on from the target. */
export function rolledBack(model: Model): Model {
  const { rollback } = model
  if (model.activity !== 'rollback' || !rollback) return model
  const { target, autoRestart } = rollback
  const idle: Model = {
    ...model,
    activity: 'idle',
    byItself: 'nothing',
    stop: undefined,
    rollback: undefined,
  }
  const { id, type, sha } = target
  const isAfterRig = target.key !== undefined && type === 'rig-setup'
  const entry = isAfterRig ? { id, withoutRig: true, sha } : undefined
  const opened = newRun(closeRun(idle, 'stopped'), keptBy(model, target), entry)
  const there = told(opened, `rolled back to ${id} ${type} ${sha} ${autoRestart}`)
  if (model.shuttingDown) return gone(there)
  const next = autoRestart ? nextOf(there) : undefined
  if (!next) return told(there, 'idle codon-completed')
  return begin({ ...there, byItself: model.autostart ? 'all' : 'no-start' }, next, { attempt: 1 })
}

/** What is left of the thread that the target lies in. After its rig a codon is still to come. */
function keptBy({ runs }: Model, { key, type }: Target): readonly Done[] {
  const run = runs.find(({ codons }) => codons.some(each => each.key === key))
  if (key === undefined || !run) return []
  const thread = [...run.base, ...run.codons]
  const at = thread.findIndex(each => each.key === key)
  return thread.slice(0, type === 'rig-setup' ? at : at + 1)
}
