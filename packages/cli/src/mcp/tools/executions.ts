import { basename } from 'node:path'
import { currentRun, lineageOf } from '@weave/protocol'
import {
  executionStatus,
  type FoundExecution,
  listExecutions,
  type ReadPlace,
  readCosts,
  readEvents,
  readExecutionId,
  readLastSeq,
  readLock,
  readPlace,
  systemClock,
} from '@weave/runtime'
import { describeEvent } from 'weave-client'
import { budgetRows } from '../../report/budget-rows.ts'
import { runRows } from '../../report/run-rows.ts'
import { failure, value } from '../answers.ts'
import { executionNamed, type NamedExecution } from '../places.ts'
import type { Run } from '../tool.ts'
import type { Inputs } from './inputs.ts'

export const listAll: Run<Inputs['list_executions']> = async ({ status, hank, skip }, at) => {
  const { executions, damaged } = await listExecutions({
    executionBaseDir: at.executionBaseDir,
    clock: systemClock,
  })
  const part = hank?.toLowerCase()
  const wanted = executions.filter(
    ({ file }) => part === undefined || file.hankName.toLowerCase().includes(part),
  )
  // Each status is read off a journal: no more than fit into an answer.
  const seen = status === undefined ? wanted.slice(skip, skip + mostListed) : wanted
  const rows = (await Promise.all(seen.map(rowOf))).filter(
    row => status === undefined || row.status === status,
  )
  return value({
    executions: status === undefined ? rows : rows.slice(skip, skip + mostListed),
    total: status === undefined ? wanted.length : rows.length,
    skipped: skip,
    damaged: damaged.slice(0, mostDamaged).map(({ dir, message }) => ({ name: basename(dir), message })),
  })
}

const mostListed = 200
const mostDamaged = 10

async function rowOf({ layout, file, lock }: FoundExecution) {
  const { status, cost, codons, endedAt, problems } = await executionStatus(layout)
  const isLive = lock.kind === 'held'
  return {
    name: basename(layout.dir),
    hank: file.hankName,
    hankPath: file.hankPath,
    data: file.dataPath ?? undefined,
    status: isLive ? 'running' : status,
    isLive,
    isRehearsal: file.rehearsal === true,
    cost,
    codonsDone: codons,
    createdAt: file.createdAt,
    lastUsed: file.lastUsed,
    endedAt,
    ...(problems.length > 0 && { problems }),
  }
}

export const lookAt: Run<Inputs['get_execution']> = async ({ execution }, at) => {
  const named = await executionNamed(execution, at)
  if (!named.ok) return named.answer
  return value(await executionView(named))
}

/** One execution as its record has it now. */
export async function executionView({ name, layout, file }: NamedExecution): Promise<object> {
  const lock = await readLock(layout.lockFile, systemClock)
  const isLive = lock.kind === 'held'
  const begin = {
    name,
    id: await readExecutionId(layout).catch(() => undefined),
    hank: file?.hankName,
    hankPath: file?.hankPath,
    isLive,
    isRehearsal: file?.rehearsal === true,
    ...(isLive && lock.holder.record && { url: `ws://127.0.0.1:${lock.holder.record.port}` }),
  }
  const read = await readPlace({ layout, environment: process.env, clock: systemClock })
  if (!read.ok) {
    const { status } = await executionStatus(layout)
    return {
      ...begin,
      status: isLive ? 'running' : status,
      codons: [],
      cost: 0,
      lastSeq: 0,
      note: read.message,
    }
  }
  const { state } = read.place
  const run = currentRun(state)
  const lastSeq = await readLastSeq(layout)
  const waiting = isLive ? await whereItWaits(read.place, lastSeq) : undefined
  const ended = run?.status === 'running' && !isLive ? 'crashed' : (run?.status ?? 'new')
  return {
    ...begin,
    status: isLive ? (waiting ? 'waiting' : 'running') : ended,
    ...(run && { run: { id: run.runId, startedAt: run.startTime } }),
    codons: codonRows(read.place),
    cost: state.totalCost,
    ...(state.runs.some(each => each.codons.some(codon => codon.costUnknown)) && { costUnknown: true }),
    budget: limits(read.place),
    ...waiting,
    lastSeq,
  }
}

/** The codons that count for the current run; what a rollback took back is not among them. */
function codonRows({ state }: ReadPlace) {
  return lineageOf(state, currentRun(state)).map(codon => ({
    id: codon.codonId,
    name: codon.codonName,
    status: codon.status,
    attempt: codon.attempt,
    model: codon.model,
    cost: codon.cost,
    ...(codon.costUnknown && { costUnknown: true }),
    seconds: 'endTime' in codon ? secondsBetween(codon.startTime, codon.endTime) : undefined,
    ...(codon.status === 'failed' && {
      failure: {
        type: codon.failureReason.type,
        untrusted: { message: codon.failureReason.message },
      },
    }),
  }))
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from)) / 1000
}

function limits({ plan, state }: ReadPlace) {
  const now = systemClock.now().getTime()
  const runs = runRows(state, { rolledBack: new Set(), undone: new Set(), now })
  return budgetRows(plan, runs, { dollars: state.totalCost, lines: new Map() }).map(
    ({ name, currency, limit, used, source }) => ({ scope: name, currency, limit, used, source }),
  )
}

/** Events that say that a run waits, or does not any more. So many of the newest are looked at. */
const pacing = new Set([
  'server.idle',
  'codon.started',
  'codon.retrying',
  'token.usage',
  'run.parked',
  'gate.waiting',
  'gate.decided',
])
const looked = 2_000

async function whereItWaits({ layout }: ReadPlace, lastSeq: number): Promise<object | undefined> {
  const query = { types: pacing, since: Math.max(0, lastSeq - looked), readOnly: true }
  let last: { readonly type: string; readonly answer: object } | undefined
  for await (const { event } of readEvents(layout, query, () => undefined)) {
    const { type, timestamp: since } = event
    const untrusted = { line: describeEvent(event) }
    if (type === 'gate.waiting') last = { type, answer: { gate: { ...event.data, since } } }
    else last = { type, answer: { waiting: { for: type, since, untrusted } } }
  }
  const waits = ['server.idle', 'run.parked', 'gate.waiting']
  return last && waits.includes(last.type) ? last.answer : undefined
}

export const costs: Run<Inputs['cost_report']> = async ({ execution }, at) => {
  const named = await executionNamed(execution, at)
  if (!named.ok) return named.answer
  const report = await readCosts(named.layout)
  if (report) return value({ execution: named.name, ...report })
  return failure('UNKNOWN_RUN', `${named.name} has not begun: it has no plan yet. Nothing was spent.`)
}
