import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { currentRun, type ExecutionRow, lineageOf, type WeaveState } from '@weave/protocol'
import { type KnownEnd, type LastLines, readLastLines } from '../journal/index.ts'
import { fieldsOf, isObject, messageOf, numberOf, systemClock, textOf } from '../kit/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { Followed, Follower } from './follower.ts'
import type { NamedPlace } from './job.ts'

/** What is kept of one execution between two lists. */
export interface KnownRow {
  readonly row: ExecutionRow
  /** Reads on where it stopped; only of one in which a run goes on, or of whose state there is no record. */
  readonly follower?: Follower | undefined
  /** Its journal was not read to the end yet. */
  readonly isBehind?: boolean
}

/** A list waits so long for a long journal; the next one knows more. */
const patienceMs = 100

async function soonFrom(follower: Follower): Promise<Followed> {
  const waited = new AbortController()
  const looking = follower.look().finally(() => waited.abort())
  looking.catch(() => undefined)
  await systemClock.sleep(patienceMs, waited.signal).catch(() => undefined)
  return waited.signal.aborted ? looking : follower.soFar()
}

/**
 * One row, from small files and the end of the journal: nothing is locked, written or connected to, since the first
 * handshake starts a run that waits for it. Never rejects. What most rows do without is loaded by who needs it: the first list
 * of a host is asked for when its reader has hardly begun.
 */
export async function readRow(
  place: NamedPlace,
  layout: ExecutionLayout,
  before: KnownRow | undefined,
): Promise<KnownRow> {
  const file = fieldsOf(jsonIn(layout.executionFile))
  const hank = textOf(file['hankName'])
  const startedAt = textOf(file['createdAt'])
  if (hank === undefined || startedAt === undefined) return { row: unreadable(place.name) }
  const lock = existsSync(layout.lockFile) ? await lockIn(layout) : undefined
  const live = lock?.kind === 'held'
  const known = {
    name: place.name,
    hank,
    data: textOf(file['dataPath']) ?? '',
    live,
    startedAt,
    rehearsal: file['rehearsal'] === true,
    ...(await originIn(layout)),
  }
  try {
    const written = live ? undefined : writtenState(layout)
    const tail = readLastLines(layout.journal, { end: written, codons: before?.row.codons })
    // That of another journal, or of a shorter one, is not its state.
    const isOfTail = written?.lastSeq === tail?.lastSeq && written?.lastId === tail?.lastId
    const cached = isOfTail ? written?.state : undefined
    const follower = cached ? undefined : (before?.follower ?? (await followerOf(place)))
    const followed = follower && (await soonFrom(follower))
    const facts = {
      state: cached ?? followed?.state,
      tail,
      live,
      codons: tail?.codons ?? 0,
    }
    const ofState = stateFacts(facts, known.inheritedCost)
    const row = { ...known, ...ofState, ...tailFacts(tail, ofState) }
    const isBehind = followed !== undefined && followed.lastSeq < (tail?.lastSeq ?? 0)
    return { row, isBehind, follower: live || isBehind ? follower : undefined }
  } catch (error) {
    return { row: { ...unreadable(place.name), ...known, problem: messageOf(error) } }
  }
}

async function lockIn({ lockFile }: ExecutionLayout) {
  const { readLock } = await import('../workspace/index.ts')
  return readLock(lockFile, systemClock)
}

async function followerOf({ dir }: NamedPlace): Promise<Follower> {
  const { createFollower } = await import('./follower.ts')
  return createFollower(dir)
}

function unreadable(name: string): ExecutionRow {
  return {
    name,
    hank: '',
    data: '',
    status: 'unreadable',
    live: false,
    codonsDone: 0,
    codons: 0,
    cost: 0,
    costUnknown: false,
    sentinelCost: 0,
    startedAt: new Date(0).toISOString(),
    warnings: 0,
    breaches: 0,
    rehearsal: false,
    problem: 'It cannot say what it is: weave list says more.',
  }
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Empty when there is none. */
function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function originIn({
  originFile,
}: ExecutionLayout): Promise<Pick<ExecutionRow, 'origin' | 'inheritedCost'>> {
  if (!existsSync(originFile)) return {}
  const { readOrigin } = await import('../workspace/index.ts')
  const origin = await readOrigin(originFile)
  if (!origin) return {}
  const { codonId, sha } = origin.at
  return { origin: { name: origin.from.name, codonId, sha }, inheritedCost: origin.inheritedCost }
}

interface WrittenState extends KnownEnd {
  readonly state: WeaveState
}

/** What a server wrote down when it ended, if it is whole. */
function writtenState({ stateFile }: ExecutionLayout): WrittenState | undefined {
  const [, digest, text] = cacheForm.exec(textIn(stateFile)) ?? []
  if (text === undefined || createHash('sha256').update(text).digest('hex') !== digest) return undefined
  const body: unknown = JSON.parse(text)
  // Written by the program, as its digest shows.
  return isObject(fieldsOf(body)['state']) ? (body as WrittenState) : undefined
}

/** As a server writes it; what has another form is not used. */
const cacheForm = /^\{"sha256":"([0-9a-f]{64})","body":(.*)\}\n$/s

interface Facts {
  readonly state: WeaveState | undefined
  readonly tail: LastLines | undefined
  readonly live: boolean
  readonly codons: number
}

type StateFacts = Pick<
  ExecutionRow,
  'status' | 'codonsDone' | 'codons' | 'cost' | 'costUnknown' | 'sentinelCost' | 'breaches'
>

function stateFacts({ state, live, codons }: Facts, inherited = 0): StateFacts {
  const runs = state?.runs ?? []
  const run = state && currentRun(state)
  const records = runs.flatMap(each => each.codons)
  const counted = state ? lineageOf(state, run) : []
  const done = counted.filter(({ status }) => status === 'completed' || status === 'skipped')
  const codonsDone = new Set(done.map(({ codonId }) => codonId)).size
  const sentinels = records.flatMap(record => record.sentinels ?? [])
  const ended = run?.status === 'running' ? 'crashed' : (run?.status ?? 'new')
  return {
    status: live ? 'running' : ended,
    codonsDone,
    codons: codons === 0 ? 0 : Math.max(codons, codonsDone),
    cost: Math.max(0, (state?.totalCost ?? 0) - inherited),
    costUnknown: [...records, ...sentinels].some(({ costUnknown }) => costUnknown === true),
    sentinelCost: sentinels.reduce((sum, { cost }) => sum + cost, 0),
    breaches: records.filter(record => 'budgetExceeded' in record && record.budgetExceeded).length,
  }
}

/** What the end of the journal says: when something was last heard, warnings of late, and what is waited for. */
function tailFacts(
  tail: LastLines | undefined,
  { status }: StateFacts,
): Pick<ExecutionRow, 'warnings' | 'lastEventAt' | 'waits'> {
  if (!tail) return { warnings: 0 }
  return {
    warnings: tail.warnings,
    lastEventAt: tail.lastTime,
    ...(tail.question !== undefined && status !== 'completed' && waitsFor(tail.question)),
  }
}

function waitsFor(line: string): Pick<ExecutionRow, 'waits'> {
  const event = fieldsOf(JSON.parse(line))
  const gate = textOf(fieldsOf(event['data'])['gateId']) ?? ''
  return { waits: { gate, since: textOf(event['timestamp']) ?? '', seq: numberOf(event['seq']) ?? 1 } }
}
