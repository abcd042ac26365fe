import { isDeepStrictEqual } from 'node:util'
import { type CodonExecution, currentRun, lineageOf, originOf, type WeaveState } from '@weave/protocol'
import type { Failure, Refused } from '../kit/index.ts'
import { after, codonAt, find, type Plan, type PlannedCodonAt, type Position, start } from '../plan/index.ts'
import { following, lastPassed } from './lineage.ts'

/**
 * Whether another plan may take over where an execution stands. What was done stays done, so the codons that the next run
 * builds on must be the first ones of the new plan, in the same order, with the same loops around them; a conversation goes
 * on with the model that began it; and a rig that is not run again must be the one that ran. Pure.
 */

export interface Takeover {
  /** The plan that was in force until now. */
  readonly before: Plan
  readonly next: Plan
  readonly state: WeaveState
  /** `harness:provider/id` of the model that a codon ran with; undefined when no plan tells. */
  readonly identityOf: (record: CodonExecution) => string | undefined
}

export interface Adoption {
  readonly ok: true
  /** Runtime ids of codons that keep what they did, in order. */
  readonly kept: readonly string[]
  /** Where the run goes on; undefined: nothing is left to do. */
  readonly entry?: PlannedCodonAt | undefined
}

export type AdoptionVerdict = Adoption | Refused<Failure>

export function adoption({ before, next, state, identityOf }: Takeover): AdoptionVerdict {
  const { kept, rigged } = standing(next, state)
  const done = withoutRepetition(kept)
  const clash = walkClash(rigged ? [...done, rigged] : done, { before, next })
  if (clash) return clash
  const last = kept.at(-1)
  const position = rigged ? placeOf(next, rigged.codonId) : last ? following(next, last) : start
  const entry = position && codonAt(next, position)
  const refused =
    (rigged && rigClash(rigged, entry, { before, done })) ?? conversationClash(done, entry, identityOf)
  return refused ?? { ok: true, kept: done.map(({ codonId }) => codonId), entry }
}

interface Standing {
  /** The records that the next run builds on. */
  readonly kept: readonly CodonExecution[]
  /** The codon whose rig has run and is not run again. */
  readonly rigged?: CodonExecution | undefined
}

/** A run that did nothing yet begins where a rollback left it; any other goes on after the last codon that the plan passes. */
function standing(next: Plan, state: WeaveState): Standing {
  const run = currentRun(state)
  if (run?.codons.length === 0 && run.startedFrom.type === 'continuation') {
    const { kept, record, afterRig } = originOf(state, run.startedFrom)
    return { kept, rigged: afterRig ? record : undefined }
  }
  const last = lastPassed(next, state)
  const lineage = lineageOf(state, run)
  return { kept: last ? lineage.slice(0, lineage.lastIndexOf(last) + 1) : [] }
}

/** Of several attempts at a codon the last one. */
function withoutRepetition(records: readonly CodonExecution[]): readonly CodonExecution[] {
  return records.filter(({ codonId }, at) => records[at + 1]?.codonId !== codonId)
}

interface Plans {
  readonly before: Plan
  readonly next: Plan
}

/** Walks the new plan codon by codon: what is done must be its beginning. */
function walkClash(done: readonly CodonExecution[], { before, next }: Plans): Refused<Failure> | undefined {
  let expected = start
  let expectedBefore = start
  for (const [at, record] of done.entries()) {
    const { codonId } = record
    const refused = (message: string) => refusal(message, done[at - 1])
    const position = placeOf(next, codonId)
    if (!position) return refused(missingWords(record, next))
    const loop = codonAt(next, position)?.loop?.id
    if (loop !== record.loopContext?.loopId) return refused(loopWords(record, loop))
    const skipped = loopsBetween(next, expected, position)
    if (!skipped) return refused(orderWords(record, codonAt(next, expected)))
    const positionBefore = placeOf(before, codonId)
    const skippedBefore = (positionBefore && loopsBetween(before, expectedBefore, positionBefore)) ?? []
    const added = skipped.find(id => !skippedBefore.includes(id))
    if (added !== undefined)
      return refused(`${codonId} is done; in the edited hank loop ${added} before it is not over by then.`)
    expected = after(next, position)
    expectedBefore = positionBefore ? after(before, positionBefore) : start
  }
  return undefined
}

/** `find` also takes a codon of a loop by its bare id; a codon that ran has exactly one runtime id. */
function placeOf(plan: Plan, runtimeId: string): Position | undefined {
  const position = find(plan, runtimeId)
  return position && codonAt(plan, position)?.runtimeId === runtimeId ? position : undefined
}

/** The loops that were left early, or not begun, on the way between two places; undefined when there is no such way. */
function loopsBetween(plan: Plan, from: Position, to: Position): readonly string[] | undefined {
  const left: string[] = []
  for (let at = from; !isSame(at, to); at = after(plan, at, { leaveLoop: true })) {
    const loop = codonAt(plan, at)?.loop
    if (!loop) return undefined
    left.push(loop.id)
  }
  return left
}

function isSame(one: Position, other: Position): boolean {
  return one.item === other.item && one.iteration === other.iteration && one.index === other.index
}

function missingWords({ codonId, loopContext }: CodonExecution, next: Plan): string {
  const loop = next.items.find(item => item.kind === 'loop' && item.id === loopContext?.loopId)
  const limit = loop?.kind === 'loop' ? loop.limit : undefined
  if (loopContext && typeof limit === 'number' && loopContext.iteration >= limit)
    return `${codonId} is done, and the edited hank lets loop ${loopContext.loopId} run ${limit === 1 ? 'once' : `${limit} times`} only.`
  return `${codonId} is done, and the edited hank does not have it.`
}

function loopWords({ codonId, loopContext }: CodonExecution, loop: string | undefined): string {
  const words = (id: string | undefined): string => (id === undefined ? 'outside of loops' : `in loop ${id}`)
  return `${codonId} ran ${words(loopContext?.loopId)}; in the edited hank it is ${words(loop)}.`
}

function orderWords({ codonId }: CodonExecution, expected: PlannedCodonAt | undefined): string {
  const place = expected
    ? `${expected.runtimeId} comes before it and has not run`
    : 'it comes after the end of the plan'
  return `${codonId} is done; in the edited hank ${place}.`
}

interface RigContext {
  readonly before: Plan
  readonly done: readonly CodonExecution[]
}

function rigClash(
  { codonId }: CodonExecution,
  entry: PlannedCodonAt | undefined,
  { before, done }: RigContext,
): Refused<Failure> | undefined {
  const was = placeOf(before, codonId)
  const rig = was && codonAt(before, was)?.codon.rig
  if (entry?.runtimeId === codonId && isDeepStrictEqual(entry.codon.rig, rig)) return undefined
  const message = `The execution stands after the rig of ${codonId}, and the edited hank has another rig or another codon there.`
  return refusal(message, done.at(-1))
}

/** A conversation cannot be handed to another model. */
function conversationClash(
  done: readonly CodonExecution[],
  entry: PlannedCodonAt | undefined,
  identityOf: Takeover['identityOf'],
): Refused<Failure> | undefined {
  if (entry?.codon.continuation !== 'continue-previous') return undefined
  const at = done.findLastIndex(
    record => record.codonId !== entry.runtimeId && 'sessionId' in record && record.sessionId !== undefined,
  )
  const source = done[at]
  const { identity } = entry.codon.model
  if (!source || identityOf(source) === identity) return undefined
  const message = `${entry.runtimeId} continues the conversation of ${source.codonId}, which ran with ${source.model}; the edited hank gives it ${identity}.`
  return refusal(message, done[at - 1])
}

/** `previous`: the codon before the one that would have to be done again. */
function refusal(message: string, previous: CodonExecution | undefined): Refused<Failure> {
  return {
    ok: false,
    message,
    cure: `Go back first: weave rollback ${previous?.codonId ?? 'start'}. Or begin another execution with --start-new.`,
  }
}
