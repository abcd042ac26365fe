import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { currentRun, emptyState, type JournaledEvent, type WeaveState } from '@weave/protocol'
import { type CostReport, costReport, type ObservedCosts, observedCosts } from '../budget/index.ts'
import {
  asksAtTheEnd,
  createSelections,
  findLostJournal,
  frozenPlan,
  type KeptPlan,
  keptPlans,
  mayAdopt,
  readGateBook,
} from '../execution/index.ts'
import {
  createHistory,
  describeFindings,
  executionIdOf,
  type History,
  inspectJournal,
  type ReadProblem,
  type RecordedEvent,
  replay,
} from '../journal/index.ts'
import { type Clock, messageOf, systemClock } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { type AdoptionVerdict, nothingLeft } from '../runner/index.ts'
import type { Selection } from '../tree/index.ts'
import { type ExecutionLayout, executionLayout, readExecutionFile, readOrigin } from '../workspace/index.ts'

/** What an execution, live or at rest, has cost until now; undefined for one that has no plan yet. Changes nothing. */
export async function readCosts({ journal, stateFile }: ExecutionLayout): Promise<CostReport | undefined> {
  const history = createHistory({ dir: journal })
  const plan = await frozenPlan(history)
  if (!plan) return undefined
  const { state } = await replay(history, stateFile)
  return costReport(state, plan)
}

/** Which files of its workspace an execution keeps versions of, in any of its codons; undefined without a plan. Changes nothing. */
export async function readSelection({ journal }: ExecutionLayout): Promise<Selection | undefined> {
  const plan = await frozenPlan(createHistory({ dir: journal, readOnly: true }))
  return plan && createSelections({ plan, state: () => emptyState }).ofPlan()
}

export interface EarlierQuery {
  readonly executionBaseDir: string
  /** Absolute. */
  readonly hankPath: string
  readonly plan: Plan
}

/** So many of the newest names are scanned, and so many executions of the hank are read. */
const mostNames = 200
const mostEarlier = 20

/**
 * What the newest executions of a hank took, without rehearsals. Quick, however many there are: only those count whose
 * server has ended and written its state down.
 */
export async function readEarlierCosts(query: EarlierQuery): Promise<ObservedCosts> {
  const { executionBaseDir, hankPath, plan } = query
  const states: WeaveState[] = []
  const names = await readdir(executionBaseDir).catch(() => [])
  for (const name of newestNames(names).slice(0, mostNames)) {
    if (states.length === mostEarlier) break
    const layout = executionLayout(join(executionBaseDir, name))
    const read = await readExecutionFile(layout.executionFile)
    if (read.kind !== 'read' || read.file.hankPath !== hankPath || read.file.rehearsal) continue
    const stats = await stat(layout.stateFile).catch(() => undefined)
    if (stats?.isFile())
      states.push((await replay(createHistory({ dir: layout.journal }), layout.stateFile)).state)
  }
  return observedCosts(states, plan)
}

/** The names of executions have the moment of their creation before the hash of their data. */
function newestNames(names: readonly string[]): readonly string[] {
  const dated = names.flatMap(name => {
    const [, created] = /-(\d{8}-\d{6})-[0-9a-f]{6}(?:-\d+)?$/.exec(name) ?? []
    return created === undefined ? [] : [{ name, created }]
  })
  return dated.sort((left, right) => (left.created < right.created ? 1 : -1)).map(({ name }) => name)
}

/** The number of the last event of an execution, live or at rest; 0 when there is none. Changes nothing. */
export function readLastSeq({ journal }: ExecutionLayout): Promise<number> {
  return createHistory({ dir: journal, readOnly: true }).lastSeq()
}

/** What an execution is called wherever its name must not matter; undefined while it has no event. */
export function readExecutionId({ journal, originFile }: ExecutionLayout): Promise<string | undefined> {
  return executionIdOf(createHistory({ dir: journal, readOnly: true }), originFile)
}

export interface ReadEventsQuery {
  readonly types?: ReadonlySet<string> | undefined
  readonly codonId?: string | undefined
  /** Only events after this `seq`. */
  readonly since?: number | undefined
  /** Goes on when the end is reached, until it aborts. */
  readonly follow?: AbortSignal | undefined
  /** Asked after every page, with the last number in it, whether or not an event of it fitted; `false` ends the reading. */
  readonly mayGoOn?: (seq: number) => boolean
  readonly clock?: Clock
}

export interface ReadEvent {
  readonly event: RecordedEvent
  /** As it travels on the wire. */
  readonly text: string
}

/** How often a followed journal is polled, in milliseconds. */
const pollEvery = 250

/** A place in a journal that is not as it was written. */
export interface JournalDamage {
  /** Of `missing`: how many lines. */
  readonly count: number
  readonly kind: 'damaged' | 'missing' | 'doubled'
  /** What is wrong where. */
  readonly message: string
}

/**
 * Events of an execution, live or at rest, in order. Damaged lines and those of a second writer are passed over;
 * `onDamage` hears of each, and of lines that are missing. Rejects with what the disk says.
 */
export function readEvents(
  { journal }: ExecutionLayout,
  /** `readOnly`: writes nothing, not even the index that makes the next reading quick. */
  query: ReadEventsQuery & { readonly readOnly?: boolean },
  onDamage: (damage: JournalDamage) => void,
): AsyncGenerator<ReadEvent> {
  return eventsIn(createHistory({ dir: journal, readOnly: query.readOnly === true }), query, onDamage)
}

/** For whoever comes again and again: what was learned of a journal is kept, and only what is new is read. */
export interface JournalReader {
  lastSeq(): Promise<number>
  /** As `readEvents`, without a word of damage. */
  events(query: ReadEventsQuery): AsyncGenerator<ReadEvent>
}

/** A reader that writes nothing. */
export function openJournalReader({ journal }: ExecutionLayout): JournalReader {
  const history = createHistory({ dir: journal, readOnly: true })
  return { lastSeq: history.lastSeq, events: query => eventsIn(history, query, () => undefined) }
}

async function* eventsIn(
  history: History,
  query: ReadEventsQuery,
  onDamage: (damage: JournalDamage) => void,
): AsyncGenerator<ReadEvent> {
  const { follow, clock = systemClock } = query
  let after = query.since ?? 0
  for (;;) {
    for await (const page of history.pages({ after })) {
      for (const problem of page.problems) onDamage(damageOf(problem))
      for (const stored of page.events) {
        after = stored.seq
        // Most lines are of other types: those are not parsed.
        if (query.types && !query.types.has(history.type(stored))) continue
        const event = await history.event(stored)
        if (event && fits(event, query)) yield { event, text: await history.text(stored) }
      }
      if (query.mayGoOn && !query.mayGoOn(after)) return
    }
    if (!follow || follow.aborted) return
    await clock.sleep(pollEvery, follow).catch(() => undefined)
  }
}

function damageOf({ file, offset, reason, count = 1 }: ReadProblem): JournalDamage {
  const place = `${file} at byte ${offset}`
  switch (reason) {
    case 'missing':
      return { kind: 'missing', count, message: `${count} lines are missing before ${place}` }
    case 'doubled':
      return { kind: 'doubled', count, message: `line of a second writer in ${place}` }
    case 'checksum':
    case 'form':
      return { kind: 'damaged', count, message: `damaged line in ${place}` }
  }
}

function fits(event: JournaledEvent, { types, codonId }: ReadEventsQuery): boolean {
  if (types && !types.has(event.type)) return false
  if (codonId === undefined) return true
  const own = 'codonId' in event.data ? event.data.codonId : undefined
  return own === codonId || own?.startsWith(`${codonId}#`) === true
}

interface ExecutionStatus {
  readonly status: string
  /** What it has spent itself: a fork without what it inherited. */
  readonly cost: number
  /** How many codons are done. */
  readonly codons: number
  /** When its last run ended. */
  readonly endedAt?: string
  /** What is amiss with its journal, for people. */
  readonly problems: readonly string[]
}

/** What an execution at rest has come to, read off its journal. Changes nothing; never rejects. */
export async function executionStatus(layout: ExecutionLayout): Promise<ExecutionStatus> {
  try {
    return await readStatus(layout)
  } catch (error) {
    const problem = `The journal in ${layout.journal} cannot be read: ${messageOf(error)}.`
    return { status: 'unreadable', cost: 0, codons: 0, problems: [problem] }
  }
}

async function readStatus(layout: ExecutionLayout): Promise<ExecutionStatus> {
  const { journal, stateFile } = layout
  const { findings } = await inspectJournal(journal)
  const { state, lastSeq } = await replay(createHistory({ dir: journal }), stateFile)
  const lost = findLostJournal(layout, { lastSeq, hasPlan: lastSeq > 0 })
  const run = currentRun(state)
  const inherited = (await readOrigin(layout.originFile))?.inheritedCost ?? 0
  const done = state.runs.flatMap(each => each.codons).filter(codon => codon.status === 'completed')
  const status = run?.status === 'running' ? 'crashed' : (run?.status ?? 'new')
  return {
    status: lost ? 'unreadable' : status,
    cost: Math.max(0, state.totalCost - inherited),
    ...(run && 'endTime' in run && run.endTime !== undefined && { endedAt: run.endTime }),
    codons: new Set(done.map(codon => codon.codonId)).size,
    problems: [...describeFindings(findings), ...(lost ? [`${lost.message} ${lost.cure}`] : [])],
  }
}

/** The plans that an execution has had, oldest first; the last one is what it runs. Changes nothing. */
export async function readPlans({ journal }: ExecutionLayout): Promise<readonly KeptPlan[]> {
  const plans: KeptPlan[] = []
  for await (const kept of keptPlans(createHistory({ dir: journal }))) plans.push(kept)
  return plans.reverse()
}

/** Whether an execution may take another plan over, as it stands now. Asked again when it really does. Changes nothing. */
export async function previewAdoption(layout: ExecutionLayout, next: Plan): Promise<AdoptionVerdict> {
  const history = createHistory({ dir: layout.journal })
  const { state } = await replay(history, layout.stateFile)
  return mayAdopt(layout, { history, next, state })
}

/** Whether nothing is left to do in an execution, as far as its record tells. Changes nothing. */
export async function isFinished({ journal, stateFile }: ExecutionLayout, plan: Plan): Promise<boolean> {
  const history = createHistory({ dir: journal })
  const { state } = await replay(history, stateFile)
  if (!nothingLeft(plan, state)) return false
  if (!plan.gates) return true
  return !asksAtTheEnd(plan, state, await readGateBook(history))
}
