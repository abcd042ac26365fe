import {
  currentRun,
  type ExecutionHead,
  type GateList,
  lineageOf,
  type PlanLimit,
  type PlanOutline,
  type ReportRun,
  type ReportTotals,
  type WeaveState,
} from '@weave/protocol'
import { readExecutionId } from '../at-rest/index.ts'
import { costReport, forecast } from '../budget/index.ts'
import { readSettings } from '../execution/index.ts'
import type { GateBook } from '../gates/index.ts'
import { fieldsOf, listOf, systemClock, textOf } from '../kit/index.ts'
import type { Plan, PlannedCodon } from '../plan/index.ts'
import { readExecutionFile, readLock, readOrigin } from '../workspace/index.ts'
import type { Followed } from './follower.ts'
import { type Answered, type NamedPlace, refused, type Sink } from './job.ts'
import type { Followers } from './places.ts'

/** How the runs of a state are told, as reports tell them. */
export type RunsOf = (
  state: WeaveState,
  context: {
    readonly rolledBack: ReadonlySet<string>
    readonly undone: ReadonlySet<string>
    readonly now: number
  },
) => readonly ReportRun[]

export interface HeadTools {
  readonly sink: Sink
  readonly followers: Followers
  readonly runsOf: RunsOf
}

/** One execution as its record has it now. */
export async function headJob(place: NamedPlace, tools: HeadTools): Promise<Answered> {
  const follower = tools.followers.follow(place)
  const { layout } = follower
  const read = await readExecutionFile(layout.executionFile)
  if (read.kind === 'missing') return refused('NOT_FOUND', `${place.name} is gone.`)
  if (read.kind === 'damaged') return refused('UNREADABLE', `${read.message}. ${read.cure}`)
  const { file } = read
  const live = (await readLock(layout.lockFile, systemClock)).kind === 'held'
  const followed = await follower.look(tools.sink)
  const plan = await follower.plan()
  const origin = await readOrigin(layout.originFile)
  const settings = await readSettings(layout)
  const id = await readExecutionId(layout)
  const { state } = followed
  const now = systemClock.now().getTime()
  const runs = tools.runsOf(state, { rolledBack: followed.rolledBack, undone: undoneIn(state), now })
  const last = runs.at(-1)
  const value: ExecutionHead = {
    name: place.name,
    ...(id !== undefined && { id }),
    dir: layout.dir,
    hank: {
      name: file.hankName,
      path: file.hankPath,
      ...(file.dataPath !== null && { data: file.dataPath }),
    },
    status: last === undefined ? 'new' : last.status === 'running' && !live ? 'crashed' : last.status,
    ...(last?.reason !== undefined && { reason: last.reason }),
    live,
    rehearsal: file.rehearsal === true,
    createdAt: file.createdAt,
    weaveVersion: file.weaveVersion,
    ...(origin && {
      origin: { name: origin.from.name, codonId: origin.at.codonId, sha: origin.at.sha },
      inheritedCost: origin.inheritedCost,
    }),
    lastSeq: followed.lastSeq,
    ...(plan && { outline: outlineOf(plan) }),
    runs,
    totals: totalsOf(state, runs, plan),
    gates: gatesOf(followed.book, plan),
    rules: rulesOf(followed, settings),
    settings,
    notes: damageNotes(followed),
  }
  return { ok: true, value }
}

/** `runId codonId` of what a rollback took back. */
function undoneIn(state: WeaveState): ReadonlySet<string> {
  const kept = new Set(lineageOf(state, currentRun(state)))
  return new Set(
    state.runs.flatMap(({ runId, codons }) =>
      codons.filter(codon => !kept.has(codon)).map(({ codonId }) => `${runId} ${codonId}`),
    ),
  )
}

function outlineOf(plan: Plan): PlanOutline {
  const { budget, ceilings = {}, sentinels = [] } = plan
  const { dollars, seconds } = forecast(plan, { observed: new Set(sentinels.map(({ codonId }) => codonId)) })
  const ceiling = (currency: PlanLimit['currency'], given: { value: number; origin: string } | undefined) =>
    given ? [{ currency, limit: given.value, source: given.origin }] : []
  return {
    hankName: plan.hankName,
    items: plan.items.map(item =>
      item.kind === 'codon'
        ? codonOf(item, plan)
        : {
            kind: 'loop' as const,
            id: item.id,
            name: item.name,
            limit: item.limit,
            codons: item.codons.map(codon => codonOf(codon, plan)),
            limits: limitsOf(item.budget, 'loop'),
          },
    ),
    limits: [
      ...limitsOf(budget, 'hank'),
      ...ceiling('dollars', ceilings.maxDollars),
      ...ceiling('seconds', ceilings.maxTimeSeconds),
    ],
    worst: { dollars, seconds },
  }
}

function codonOf(codon: PlannedCodon, { sentinels = [] }: Plan) {
  const { id, name, model, budget, env } = codon
  return {
    kind: 'codon' as const,
    id,
    name,
    model: model.id,
    limits: limitsOf(budget, 'codon'),
    environment: Object.keys(env),
    sentinels: sentinels.filter(({ codonId }) => codonId === id).map(({ config }) => config.id),
  }
}

const currencies = {
  maxDollars: 'dollars',
  maxTimeSeconds: 'seconds',
  maxOutputTokens: 'output-tokens',
  maxContextTokens: 'context-tokens',
} as const

function limitsOf(budget: object | undefined, source: string): readonly PlanLimit[] {
  const fields = fieldsOf(budget)
  const onExceeded = fields['onExceeded']
  const then = onExceeded === 'complete' || onExceeded === 'fail' ? ({ onExceeded } as const) : {}
  return Object.entries(currencies).flatMap(([key, currency]) => {
    const limit = fields[key]
    return typeof limit === 'number' ? [{ currency, limit, source, ...then }] : []
  })
}

function totalsOf(state: WeaveState, runs: readonly ReportRun[], plan: Plan | undefined): ReportTotals {
  const attempts = runs.flatMap(run => run.attempts)
  const done = attempts.filter(({ status, isUndone }) => status === 'completed' && !isUndone)
  const costs = plan && costReport(state, plan)
  const sum = (key: keyof ReportTotals['tokens']) =>
    attempts.reduce((total, { tokens }) => total + tokens[key], 0)
  return {
    cost: state.totalCost,
    isCostUnknown: costs?.costUnknown ?? false,
    sentinelCost: costs?.totals.sentinels ?? 0,
    durationMs: runs.reduce((total, { durationMs }) => total + durationMs, 0),
    tokens: {
      input: sum('input'),
      cacheWrite: sum('cacheWrite'),
      cacheRead: sum('cacheRead'),
      output: sum('output'),
    },
    codonsDone: new Set(done.map(({ codonId }) => codonId)).size,
    attempts: attempts.length,
  }
}

function gatesOf({ waiting, holds, decided }: GateBook, plan: Plan | undefined): GateList {
  return {
    planned: (plan?.gates ?? []).map(({ id, before, after, message, timeoutSeconds }) => ({
      id,
      ...given({ before, after, message, timeoutSeconds }),
    })),
    ...(waiting && {
      waiting: {
        seq: waiting.seq,
        since: waiting.since,
        gateId: waiting.data.gateId,
        files: waiting.data.files ?? [],
        round: waiting.data.round,
        ...given({
          codonId: waiting.data.codonId,
          next: waiting.data.next,
          message: waiting.data.message,
          checkpoint: waiting.data.checkpoint,
          deadline: waiting.data.deadline,
        }),
      },
    }),
    armed: holds.map(({ gateId, before, after, message }) => ({
      gateId,
      ...given({ before, after, message }),
    })),
    past: [...decided.values()].reverse().map(({ time, data }) => ({
      gateId: data.gateId,
      waitingSeq: data.waitingSeq,
      time,
      decision: data.decision,
      by: data.by,
      waitedMs: data.waitedMs,
      ...given({ note: data.note }),
    })),
  }
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Without what is not there. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
}

const deeds = ['notify', 'hold', 'stop'] as const

/** As the last start recorded them in its settings, and those that fired and are no longer there. */
function rulesOf(
  { fired }: Followed,
  settings: readonly { readonly field: string; readonly value: string }[],
): ExecutionHead['rules'] {
  const recorded = settings.find(({ field }) => field === 'rules')?.value ?? '[]'
  const rules = new Map<string, { do: (typeof deeds)[number]; message?: string; fired: number[] }>()
  for (const each of listOf(parsed(recorded)).map(fieldsOf)) {
    const deed = deeds.find(name => name === each['do'])
    const [id, message] = [textOf(each['id']), textOf(each['message'])]
    if (id !== undefined && deed) rules.set(id, { do: deed, fired: [], ...given({ message }) })
  }
  for (const { seq, data } of fired) {
    const rule = rules.get(data.ruleId) ?? { do: data.do, fired: [] }
    rule.fired.push(seq)
    rules.set(data.ruleId, rule)
  }
  return [...rules].map(([id, rule]) => ({ id, ...rule }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function damageNotes({ problems }: Followed): readonly string[] {
  return problems.length === 0
    ? []
    : [`The journal is damaged in ${problems.length} places; what could not be read is left out.`]
}
