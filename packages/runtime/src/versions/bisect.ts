import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodonExecution } from '@weave/protocol'
import type { FileDifference } from '../checkpoint/index.ts'
import { removeTree } from '../files/index.ts'
import { messageOf, type Result } from '../kit/index.ts'
import { type CheckOptions, checkVersion, linksOf } from './bisect-check.ts'
import { type BisectStep, nextInRow, nextStep, type Verdict } from './bisect-search.ts'
import type { ReadPlace } from './read-place.ts'
import { candidatesOf, labelOf, type ThreadVersion, threadVersions } from './thread-versions.ts'

export interface BisectWish extends Omit<CheckOptions, 'scratch'> {
  readonly good?: string | undefined
  readonly bad?: string | undefined
  readonly rigs: boolean
  readonly completedOnly: boolean
  /** Tests every version, in order. */
  readonly all: boolean
  /** Called once for every version that was tested. Must not throw. */
  readonly onCheck: (check: BisectCheck) => void
}

export interface BisectCheck {
  readonly version: ThreadVersion
  readonly verdict: Verdict
  /** Why, where that is not plain. */
  readonly reason: string
  readonly durationMs: number
}

export interface Bisected {
  readonly outcome: Exclude<BisectStep, { readonly kind: 'test' }>
  /** The different versions, in order. */
  readonly versions: readonly ThreadVersion[]
  readonly verdicts: readonly (Verdict | undefined)[]
  readonly checks: readonly BisectCheck[]
  readonly durationMs: number
}

/** `usage`: the wish cannot be. `stop`: the command says nothing about versions. */
export type BisectResult = Result<
  { readonly found: Bisected },
  { readonly kind: 'usage' | 'stop'; readonly message: string }
>

/**
 * Finds the version with which a command begins to fail. The execution is only read; it may be live. Nothing is left of
 * what was started and written for it. Rejects only with the reason of the signal.
 */
export async function bisect(place: ReadPlace, wish: BisectWish): Promise<BisectResult> {
  const linked = linksOf(wish.links, place)
  if (!linked.ok) return { ...linked, kind: 'usage' }
  const row = await rowOf(place, wish)
  if (!row.ok) return { ...row, kind: 'usage' }
  wish.signal.throwIfAborted()
  const scratch = await mkdtemp(join(tmpdir(), 'weave-bisect-'))
  try {
    return await search(row.versions, place, { ...wish, links: linked.links, scratch })
  } catch (error) {
    wish.signal.throwIfAborted()
    return { ok: false, kind: 'stop', message: messageOf(error) }
  } finally {
    await removeTree(scratch)
  }
}

async function search(
  versions: readonly ThreadVersion[],
  place: ReadPlace,
  wish: BisectWish & CheckOptions,
): Promise<BisectResult> {
  const { clock } = place
  const began = clock.monotonic()
  const verdicts: (Verdict | undefined)[] = versions.map(() => undefined)
  const checks: BisectCheck[] = []
  for (;;) {
    const step = nextStep(verdicts)
    const at = (wish.all ? nextInRow(verdicts) : undefined) ?? (step.kind === 'test' ? step.at : undefined)
    const version = at === undefined ? undefined : versions[at]
    if (at === undefined || !version) {
      if (step.kind === 'test') throw new Error('there is no version to test')
      const durationMs = clock.monotonic() - began
      return { ok: true, found: { outcome: step, versions, verdicts, checks, durationMs } }
    }
    const from = clock.monotonic()
    const judgement = await checkVersion(version, place, wish)
    if (judgement.verdict === 'stop')
      return { ok: false, kind: 'stop', message: `${judgement.message} It was at ${labelOf(version)}.` }
    verdicts[at] = judgement.verdict
    const check = { ...judgement, version, durationMs: clock.monotonic() - from }
    checks.push(check)
    wish.onCheck(check)
  }
}

type Row = Result<{ readonly versions: readonly ThreadVersion[] }>

/** The different versions from the good end to the bad one. */
async function rowOf(place: ReadPlace, wish: BisectWish): Promise<Row> {
  const all = threadVersions(place.state)
  const good = await placeIn(all, wish.good ?? 'start', place)
  if (!good.ok) return good
  const bad = await placeIn(all, wish.bad ?? 'end', place)
  if (!bad.ok) return bad
  if (good.at > bad.at)
    return { ok: false, message: `--good ${wish.good ?? 'start'} comes after --bad ${wish.bad ?? 'end'}.` }
  const between = all.slice(good.at, bad.at + 1)
  const trees = await place.versions.trees(between.map(({ sha }) => sha))
  const missing = between.find(({ sha }) => !trees.has(sha))
  if (missing)
    return {
      ok: false,
      message: `${labelOf(missing)} is not in ${place.layout.checkpoints}, although the journal names it.`,
    }
  const named = new Set([good, bad].flatMap(({ at }) => all[at]?.sha ?? []))
  return { ok: true, versions: candidatesOf(between, trees, { ...wish, named }) }
}

async function placeIn(
  all: readonly ThreadVersion[],
  text: string,
  place: ReadPlace,
): Promise<Result<{ readonly at: number }>> {
  const named = await place.named(text)
  if (!named.ok) return named
  const at = all.findLastIndex(({ sha }) => sha === named.sha)
  if (at !== -1) return { ok: true, at }
  return { ok: false, message: `${named.label}, is not part of what the next run goes on from.` }
}

/** What the change at a version was, for people who want to look into it. */
export interface BisectDetails {
  readonly record?: CodonExecution
  /** Counted from 1. */
  readonly run?: number
  readonly files: readonly FileDifference[]
}

export async function detailsOf(
  { versions, outcome }: Bisected,
  { state, versions: store }: ReadPlace,
): Promise<BisectDetails> {
  const [good, bad] = outcome.kind === 'found' ? [versions[outcome.good], versions[outcome.bad]] : []
  if (!good || !bad) return { files: [] }
  const compared = await store.diff(good.sha, bad.sha, { lines: true })
  const { record } = bad
  const run = record ? state.runs.findIndex(({ codons }) => codons.includes(record)) + 1 : 0
  return { ...(record && { record, run }), files: compared.ok ? compared.files : [] }
}

/** A file that the beginning does not have, and the first version that has it: the search may have to begin there. */
export async function laterFile(
  { versions }: Bisected,
  { versions: store }: ReadPlace,
): Promise<{ readonly path: string; readonly version: ThreadVersion } | undefined> {
  const [first, ...later] = versions
  for (const version of first ? later : []) {
    const compared = await store.diff(first?.sha ?? '', version.sha)
    const added = compared.ok ? compared.files.find(({ status }) => status === 'added') : undefined
    if (added) return { path: added.path, version }
  }
  return undefined
}
