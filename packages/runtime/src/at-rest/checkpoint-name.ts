import { type CheckpointWord, currentRun, lineageOf, type WeaveState } from '@weave/protocol'
import { type CheckpointRecord, resolveSha } from '../checkpoint/index.ts'
import { didYouMean, nearestNames, type Result } from '../kit/index.ts'
import { find, type Plan, plannedCodons } from '../plan/index.ts'
import { type RollbackCommand, type RollbackTarget, rollbackTarget } from '../runner/index.ts'

/** What the words of a person can mean. */
export interface KnownCheckpoints {
  readonly plan: Plan
  readonly state: WeaveState
  readonly safeties: readonly CheckpointRecord[]
}

export type NamedCheckpoint = Result<{
  readonly sha: string
  /** Such as `draft completed, 1a2b3c4d`. */
  readonly label: string
  /** Absent for a safety checkpoint: files without a place in the plan. */
  readonly target?: RollbackTarget
}>

const words: readonly CheckpointWord[] = ['rig-setup', 'completed', 'error', 'skipped', 'start', 'end']

/**
 * The checkpoint that a person means: `draft`, `draft:start`, `review#1:error` (a codon by its id or name; without a word
 * its end), `last-success`, `start` (before everything), `end` (the newest), or the beginning of a sha. Pure.
 */
export function nameCheckpoint(text: string, known: KnownCheckpoints): NamedCheckpoint {
  const { plan } = known
  if (text === 'last-success')
    return viaTarget({ id: '', type: 'rollback.toLastSuccess', data: { autoRestart: false } }, known)
  const { name, word } = splitWord(text)
  const codons = codonsCalled(name, plan)
  const [codonId] = codons
  if (codons.length > 1)
    return no(`${codons.length} codons are called ${name}: ${codons.join(', ')}. Use the id.`)
  if (codonId !== undefined) {
    const data = { codonId, checkpointType: word ?? 'end', autoRestart: false }
    return viaTarget({ id: '', type: 'rollback.toCodon', data }, known)
  }
  if (text === 'start') return bySha(known.state.runs[0]?.initialCheckpoint ?? '', known)
  if (text === 'end') return bySha(newestOf(known.state) ?? '', known)
  if (word === undefined && /^[0-9a-f]+$/i.test(text)) return bySha(text, known)
  return unknown(name, plan)
}

function splitWord(text: string): { readonly name: string; readonly word?: CheckpointWord } {
  const at = text.lastIndexOf(':')
  const word = words.find(each => each === text.slice(at + 1))
  return at > 0 && word ? { name: text.slice(0, at), word } : { name: text }
}

/** The one with this id, or all with this name. */
function codonsCalled(name: string, plan: Plan): readonly string[] {
  const codons = plannedCodons(plan)
  if (find(plan, name) || codons.some(({ id }) => id === name)) return [name]
  const wanted = name.toLowerCase()
  return codons.filter(codon => codon.name.toLowerCase() === wanted).map(({ id }) => id)
}

function newestOf(state: WeaveState): string | undefined {
  const shas = lineageOf(state, currentRun(state)).flatMap(({ checkpoints }) => {
    const { completed, error, skipped } = checkpoints
    return completed ?? error ?? skipped ?? checkpoints['rig-setup'] ?? []
  })
  return shas.at(-1) ?? state.runs[0]?.initialCheckpoint
}

function viaTarget(command: RollbackCommand, { plan, state }: KnownCheckpoints): NamedCheckpoint {
  const result = rollbackTarget(plan, state, command)
  if (!result.ok) return no(`${result.message} "weave checkpoints" lists what there is.`)
  const { target } = result
  return { ok: true, sha: target.sha, label: labelOf(target), target }
}

/** A version that is no end and no rig of a codon is that from before everything. */
function labelOf({ codonId, type, sha, startedFrom }: RollbackTarget): string {
  const isBeginning = startedFrom.type === 'continuation' && startedFrom.codonId === undefined
  return `${isBeginning ? 'the beginning' : `${codonId} ${type}`}, ${sha.slice(0, 8)}`
}

function bySha(text: string, known: KnownCheckpoints): NamedCheckpoint {
  const { state, safeties } = known
  const ofState = new Set(
    state.runs.flatMap(({ initialCheckpoint, codons }) => [
      ...(initialCheckpoint === undefined ? [] : [initialCheckpoint]),
      ...codons.flatMap(({ checkpoints }) => Object.values(checkpoints)),
    ]),
  )
  const all = [...ofState, ...safeties.map(({ sha }) => sha)]
  const resolved = resolveSha(text, all)
  if (!resolved.ok) return no(shaProblem(text, resolved.reason, all))
  const { sha } = resolved
  if (!ofState.has(sha)) return { ok: true, sha, label: `safety checkpoint, ${sha.slice(0, 8)}` }
  const data = { checkpointSha: sha, autoRestart: false }
  return viaTarget({ id: '', type: 'rollback.toCheckpoint', data }, known)
}

function shaProblem(
  text: string,
  reason: 'too-short' | 'unknown' | 'ambiguous',
  all: readonly string[],
): string {
  if (reason === 'too-short') return 'Give at least 4 characters of a checkpoint.'
  if (reason === 'unknown')
    return `There is no codon ${text}, and no checkpoint begins so. "weave checkpoints" lists what there is.`
  const fitting = [...new Set(all)].filter(sha => sha.startsWith(text.toLowerCase()))
  return `${fitting.length} checkpoints begin with ${text}: ${fitting.map(sha => sha.slice(0, 12)).join(', ')}. Give more of it.`
}

function unknown(name: string, plan: Plan): NamedCheckpoint {
  const [, codon = '', word = ''] = /^(.+):([^:]*)$/.exec(name) ?? []
  if (codonsCalled(codon, plan).length > 0)
    return no(`A codon has no checkpoint ${word}; there are: ${words.join(', ')}.`)
  const ids = plannedCodons(plan).map(({ id }) => id)
  return no(
    `There is no codon ${name}.${didYouMean(nearestNames(name, ids))} "weave checkpoints" lists what there is.`,
  )
}

function no(message: string): NamedCheckpoint {
  return { ok: false, message }
}
