import type { DiffResult, FileDifference } from '../checkpoint/index.ts'
import { readVersions } from '../checkpoint/index.ts'
import type { Failure, Result } from '../kit/index.ts'
import { plannedCodons } from '../plan/index.ts'
import { alignNames, alignNumbers } from './align.ts'
import { type CodonFacts, plus, readSide, type Side, type Steps } from './compare-side.ts'
import { type Step, stepOf } from './compare-steps.ts'
import type { ReadPlace } from './read-place.ts'

export interface CompareWish {
  readonly left: { readonly place: ReadPlace; readonly at?: string | undefined }
  readonly right: { readonly place: ReadPlace; readonly at?: string | undefined }
  /** With the differences of files as text. */
  readonly text: boolean
  /** How many steps before and after the first difference are read. */
  readonly around: number
}

/** Something that both sides have, each its own. */
export interface Both<Value> {
  readonly left: Value
  readonly right: Value
}

export interface ComparedHead extends Both<string> {
  readonly what: 'hank' | 'data' | 'models' | 'weave'
  readonly same: boolean
}

export interface ComparedCodon {
  readonly codonId: string
  /** Absent on the side that does not have it. */
  readonly left?: CodonFacts | undefined
  readonly right?: CodonFacts | undefined
  /** But for how long it took. */
  readonly same: boolean
}

export interface ComparedConversation {
  readonly codonId: string
  readonly same: number
  readonly onlyLeft: number
  readonly onlyRight: number
  /** The steps before and after the place where they differ first; `at` counts from 0. */
  readonly first?: Both<readonly Step[]> & { readonly at: number; readonly from: number }
}

export interface ComparedFiles {
  readonly changed: number
  /** All, or the first of very many. */
  readonly files: readonly FileDifference[]
  readonly text?: { readonly bytes: Buffer; readonly isCut: boolean }
}

export interface Totals {
  readonly cost: number
  readonly inherited: number
  readonly tokens: CodonFacts['tokens']
  readonly activeMs: number
  readonly waitingMs: number
  readonly parkedMs: number
  /** At gates. */
  readonly gatesMs: number
  readonly events: number
}

export interface Comparison {
  readonly sides: Both<Pick<Side, 'name' | 'at' | 'isLive'>>
  readonly relation: 'same execution' | 'fork of the other' | 'source of the other' | 'forks of one' | 'none'
  /** How many events both journals begin with. */
  readonly commonEvents?: number
  readonly head: readonly ComparedHead[]
  readonly codons: readonly ComparedCodon[]
  /** Absent when one side has no checkpoint. */
  readonly files?: ComparedFiles
  readonly conversation: readonly ComparedConversation[]
  readonly totals: Both<Totals>
}

export type CompareResult = Result<{ readonly comparison: Comparison }, Failure>

/** Holds two executions against each other. Both are only read; both may be live. Rejects with the system's error. */
export async function compare({ left, right, text, around }: CompareWish): Promise<CompareResult> {
  const workspaces = [left, right].map(({ place }) => place.layout.agentRoot)
  const one = await readSide(left.place, { at: left.at, workspaces })
  if (!one.ok) return one
  const other = await readSide(right.place, { at: right.at, workspaces })
  if (!other.ok) return other
  const sides = { left: one.side, right: other.side }
  const files = await comparedFiles(sides, text)
  if (files?.ok === false) return { ...files, cure: 'Look at the checkpoints of both: weave checkpoints.' }
  const relation = relationOf(sides)
  return {
    ok: true,
    comparison: {
      sides: both(sides, ({ name, at, isLive }) => ({ name, ...(at !== undefined && { at }), isLive })),
      ...relation,
      head: headOf(sides),
      codons: comparedCodons(sides),
      ...(files && { files: files.compared }),
      conversation: await comparedConversations(sides, { around, workspaces }),
      totals: both(sides, totalsOf),
    },
  }
}

function both<In, Out>({ left, right }: Both<In>, of: (side: In) => Out): Both<Out> {
  return { left: of(left), right: of(right) }
}

function headOf(sides: Both<Side>): readonly ComparedHead[] {
  const row = (what: ComparedHead['what'], of: (side: Side) => string, key = of): ComparedHead => ({
    what,
    ...both(sides, of),
    same: key(sides.left) === key(sides.right),
  })
  return [
    row(
      'hank',
      ({ place }) => place.file.hankName,
      ({ place }) => place.file.hankHash,
    ),
    row(
      'data',
      ({ place }) => place.file.dataPath ?? 'none',
      ({ place }) => place.file.dataHash,
    ),
    row('models', side => modelsOf(side).join(', ')),
    row('weave', ({ place }) => place.file.weaveVersion),
  ]
}

function modelsOf({ place }: Side): readonly string[] {
  return [...new Set(plannedCodons(place.plan).map(({ model }) => model.id))].toSorted()
}

function relationOf({ left, right }: Both<Side>): Pick<Comparison, 'relation' | 'commonEvents'> {
  const isSame = left.place.layout.dir === right.place.layout.dir
  if (isSame) return { relation: 'same execution', commonEvents: Math.min(left.lastSeq, right.lastSeq) }
  const limit = Math.min(left.lastSeq, right.lastSeq)
  if (isForkOf(left, right))
    return { relation: 'fork of the other', commonEvents: Math.min(limit, left.origin?.prefix.events ?? 0) }
  if (isForkOf(right, left))
    return {
      relation: 'source of the other',
      commonEvents: Math.min(limit, right.origin?.prefix.events ?? 0),
    }
  const [one, other] = [left.origin, right.origin]
  if (one && other && one.from.name === other.from.name && one.from.createdAt === other.from.createdAt)
    return { relation: 'forks of one', commonEvents: Math.min(limit, one.prefix.events, other.prefix.events) }
  return { relation: 'none' }
}

function isForkOf({ origin }: Side, { name, place }: Side): boolean {
  return origin?.from.name === name && origin.from.createdAt === place.file.createdAt
}

function comparedCodons({ left, right }: Both<Side>): readonly ComparedCodon[] {
  return alignNames([...left.codons.keys()], [...right.codons.keys()]).map(({ id, inLeft, inRight }) => {
    const [one, other] = [
      inLeft ? left.codons.get(id) : undefined,
      inRight ? right.codons.get(id) : undefined,
    ]
    return { codonId: id, left: one, right: other, same: isAlike(one, other) }
  })
}

function isAlike(one: CodonFacts | undefined, other: CodonFacts | undefined): boolean {
  if (!one || !other) return false
  const lasting = (facts: CodonFacts): string => JSON.stringify({ ...facts, durationMs: undefined })
  return lasting(one) === lasting(other)
}

const mostChanged = 50_000
const mostListed = 1_000

async function comparedFiles(
  { left, right }: Both<Side>,
  text: boolean,
): Promise<Result<{ readonly compared: ComparedFiles }> | undefined> {
  if (left.sha === undefined || right.sha === undefined) return undefined
  const { layout, environment, clock } = left.place
  const store = readVersions({
    gitDir: layout.checkpoints,
    environment,
    clock,
    beside: right.place.layout.checkpoints,
  })
  const counted: DiffResult = await store.diff(left.sha, right.sha)
  if (!counted.ok) return counted
  const changed = counted.files.length
  if (changed > mostChanged)
    return { ok: true, compared: { changed, files: counted.files.slice(0, mostListed) } }
  if (changed === 0) return { ok: true, compared: { changed, files: [] } }
  const compared = await store.diff(left.sha, right.sha, { lines: true, text, maxTextBytes: longestText })
  return compared.ok ? { ok: true, compared: { changed, ...compared } } : compared
}

const longestText = 64 << 20

interface Looking {
  readonly around: number
  readonly workspaces: readonly string[]
}

const nothing: Steps = { digests: new Float64Array(), seqs: new Uint32Array() }

async function comparedConversations(
  sides: Both<Side>,
  looking: Looking,
): Promise<readonly ComparedConversation[]> {
  const { left, right } = sides
  const compared: ComparedConversation[] = []
  for (const { id, inLeft, inRight } of alignNames([...left.codons.keys()], [...right.codons.keys()])) {
    const steps = {
      left: (inLeft ? left.steps.get(id) : undefined) ?? nothing,
      right: (inRight ? right.steps.get(id) : undefined) ?? nothing,
    }
    const { first, ...counts } = alignNumbers(steps.left.digests, steps.right.digests)
    if (first === undefined) {
      compared.push({ codonId: id, ...counts })
      continue
    }
    const from = Math.max(0, first - looking.around)
    const until = first + looking.around + 1
    compared.push({
      codonId: id,
      ...counts,
      first: {
        at: first,
        from,
        left: await stepsAt(left, steps.left.seqs.slice(from, until), looking),
        right: await stepsAt(right, steps.right.seqs.slice(from, until), looking),
      },
    })
  }
  return compared
}

/** Reads the few events again that are to be shown. */
async function stepsAt(
  { place }: Side,
  seqs: Uint32Array,
  { workspaces }: Looking,
): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const seq of seqs)
    for await (const { events } of place.history.pages({ after: seq - 1, upTo: seq, maxEvents: 1 }))
      for (const stored of events) {
        const event = await place.history.event(stored)
        const step = event && stepOf(event, workspaces)
        if (step) steps.push(step)
      }
  return steps
}

function totalsOf({ codons, origin, state, parkedMs, gatesMs, lastSeq }: Side): Totals {
  const facts = [...codons.values()]
  const activeMs = facts.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const elapsed = state.runs.reduce((sum, run) => {
    const end = 'endTime' in run && run.endTime !== undefined ? Date.parse(run.endTime) : undefined
    return sum + (end === undefined ? 0 : Math.max(0, end - Date.parse(run.startTime)))
  }, 0)
  return {
    cost: state.totalCost,
    inherited: origin?.inheritedCost ?? 0,
    tokens: facts.reduce((sum, { tokens }) => plus(sum, tokens), noTokens),
    activeMs,
    waitingMs: Math.max(0, elapsed - activeMs - parkedMs - gatesMs),
    parkedMs,
    gatesMs,
    events: lastSeq,
  }
}

const noTokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

/** What of a comparison counts when somebody asks whether two executions are the same. Times never do. */
export function isSame({ codons, files, conversation }: Comparison): boolean {
  return (
    codons.every(({ same }) => same) &&
    (files === undefined || files.changed === 0) &&
    conversation.every(({ first }) => first === undefined)
  )
}
