import type { CommandType, ErrorCode } from '@weave/protocol'
import type { Plan } from '../../src/plan/index.ts'
import { firstName, fullName, nameAfter, placeOf } from './model-plan.ts'

/**
 * What part 3 of the specification and sections 5 and 8 of the decisions say about steering a hank, as a small machine
 * of its own. Written from these documents; it shares no code with the runner. Pure: every function returns a new model.
 *
 * `lines` is what an onlooker must have seen by now, in order.
 */
export interface Model {
  readonly plan: Plan
  readonly headless: boolean
  readonly autostart: boolean
  /** `codon`: one runs. `waiting`: for the next attempt at `current`. `over`: the server is gone. */
  readonly activity: 'idle' | 'codon' | 'waiting' | 'over'
  /** What happens by itself between codons: all, all but the start of another codon, nothing. */
  readonly byItself: 'all' | 'no-start' | 'nothing'
  readonly current?: Current | undefined
  /** A stop that was accepted for what goes on now; the first one counts. */
  readonly stop?: 'skip' | 'force' | 'shutdown' | undefined
  readonly shuttingDown: boolean
  readonly sawClient: boolean
  readonly runs: readonly ModelRun[]
  /** The codons that the present run stands on, its own included. */
  readonly thread: readonly Done[]
  /** How often the agent was called. */
  readonly calls: number
  readonly lines: readonly string[]
  readonly end?: 'completed' | 'failed' | 'stopped' | undefined
}

export interface Current {
  readonly id: string
  readonly attempt: number
  /** The number of the call of the agent; undefined until its session is there. */
  readonly call?: number
  /** Skipped before it began: it never gets to its agent. */
  readonly stillborn?: boolean
}

interface ModelRun {
  readonly status: 'running' | 'completed' | 'failed' | 'stopped'
  readonly codons: readonly Done[]
}

export interface Done {
  readonly id: string
  readonly attempt: number
  readonly status: 'completed' | 'failed' | 'skipped'
  readonly retriable: boolean
  readonly full: boolean
  readonly hasSession: boolean
  readonly hint?: number | undefined
  /** Ended by a person or a shutdown, not by a failure of its own. */
  readonly isInterrupted: boolean
}

/** How an agent ends one turn if nobody stops it. `hang`: it does not. */
export type Turn =
  | { readonly kind: 'succeed' | 'final' | 'full' | 'hang' | 'hang-in-tool' }
  | { readonly kind: 'retriable'; readonly hint?: number | undefined }

export type Answer = 'ok' | ErrorCode

export interface Ask {
  readonly type: CommandType
  readonly codonId?: string
}

export function newModel(
  plan: Plan,
  { headless, autostart }: { readonly headless: boolean; readonly autostart: boolean },
): Model {
  const model: Model = {
    plan,
    headless,
    autostart,
    activity: 'idle',
    byItself: headless && autostart ? 'all' : 'nothing',
    shuttingDown: false,
    sawClient: false,
    runs: [{ status: 'running', codons: [] }],
    thread: [],
    calls: 0,
    lines: ['run from the beginning'],
  }
  return model.byItself === 'all' ? goOn(model) : told(model, 'idle startup')
}

/** The first client begins the hank, if it starts by itself. */
export function clientCame(model: Model): Model {
  const begins = model.autostart && !model.headless && !model.sawClient && openRun(model)?.codons.length === 0
  const seen = { ...model, sawClient: true }
  return begins && model.activity === 'idle' ? goOn({ ...seen, byItself: 'all' }) : seen
}

/** A command: what its sender is told, and what becomes of the world. */
export function ask(
  model: Model,
  { type, codonId = '' }: Ask,
): { readonly answer: Answer; readonly model: Model } {
  const refused = (answer: Answer) => ({ answer, model })
  const busy = model.activity === 'codon' || model.activity === 'waiting'
  if (model.activity === 'over' || model.shuttingDown) return refused('SHUTTING_DOWN')
  switch (type) {
    case 'codon.start': {
      if (busy) return refused('CODON_ALREADY_RUNNING')
      const id = fullName(model.plan, codonId)
      return id === undefined ? refused('UNKNOWN_CODON') : accepted(startOnCommand(model, id))
    }
    case 'codon.next': {
      if (busy) return refused('CODON_ALREADY_RUNNING')
      const last = model.thread.at(-1)
      const id = last ? nameAfter(model.plan, last) : firstName(model.plan, 0)
      return id === undefined ? refused('NO_NEXT_CODON') : accepted(startOnCommand(model, id))
    }
    case 'codon.redo':
      if (busy) return refused('CODON_ALREADY_RUNNING')
      return model.thread.some(hasRun) ? accepted(redo(model)) : refused('NOTHING_TO_REDO')
    case 'codon.skip':
      return busy ? accepted(stopped(model, 'skip')) : refused('NO_CODON_RUNNING')
    case 'codon.forceStop':
      return busy ? accepted(stopped(model, 'force')) : refused('NO_CODON_RUNNING')
    case 'server.shutdown':
      return accepted(shutDown(model))
    case 'rollback.toCheckpoint':
    case 'rollback.toCodon':
    case 'rollback.toLastSuccess':
      return refused('UNKNOWN_CHECKPOINT')
    default:
      return accepted(model)
  }
}

/** Graceful: what runs is stopped first. Also what a signal does. */
export function shutDown(model: Model): Model {
  if (model.activity === 'over' || model.shuttingDown) return model
  const going = { ...stopped(model, 'shutdown'), shuttingDown: true }
  return model.activity === 'idle' ? gone(going) : going
}

/** The session of the running codon is there. */
export function began(model: Model): Model {
  if (!model.current) return model
  return { ...model, calls: model.calls + 1, current: { ...model.current, call: model.calls } }
}

/** The wait for the next attempt is over, or was cut short. `byClock`: the clock was faster than a stop that was accepted. */
export function woke(model: Model, { byClock = false } = {}): Model {
  const { current, stop } = model
  if (model.activity !== 'waiting' || !current) return model
  const idle: Model = { ...model, activity: 'idle', stop: undefined, current: undefined }
  if (byClock) return { ...begin(idle, current.id, { attempt: current.attempt }), stop }
  if (model.shuttingDown) return gone(idle)
  if (stop === 'force') return hold(idle)
  return begin(idle, current.id, { attempt: current.attempt, stillborn: stop === 'skip' })
}

/** What is known of an end besides the model. */
export interface Sight {
  /** What the agent does, turn by turn, if nobody stops it. */
  readonly turns: readonly Turn[]
  /** The clock moves: an agent that hangs is silent for too long. */
  readonly timePasses: boolean
  /** Whether the stop ended it. Decides only where a stop and an end of its own met: either may have been first. */
  readonly wasStopped: boolean
}

/** The running codon came to its end. */
export function ended(model: Model, sight: Sight): Model {
  const { current, stop } = model
  if (!current) return told(model, 'an end without a start')
  const own = ownEnd(model, current, sight)
  const byStop = stop && endByStop(stop)
  const end = byStop && (!own || sight.wasStopped) ? byStop : own
  if (!end) return told(model, `${current.id} cannot have ended`)
  return settle(model, {
    full: false,
    ...end,
    id: current.id,
    attempt: current.attempt,
    hasSession: current.call !== undefined,
    isInterrupted: end === byStop && end.status === 'failed',
  })
}

type End = Pick<Done, 'status' | 'retriable'> & Partial<Done>

function endByStop(stop: 'skip' | 'force' | 'shutdown'): End {
  if (stop === 'skip') return { status: 'skipped', retriable: false }
  return { status: 'failed', retriable: stop === 'shutdown' }
}

/** How the codon ends if nobody stops it; undefined: it does not end. */
function ownEnd(model: Model, current: Current, { turns, timePasses }: Sight): End | undefined {
  if (current.stillborn) return undefined
  const { codon, loop } = placeOf(model.plan, current.id) ?? {}
  if (!codon) return undefined
  if (current.call === undefined) {
    const lost = codon.continuation === 'continue-previous' && isLost(model.thread, current.id)
    return lost ? { status: 'failed', retriable: false } : undefined
  }
  const mostTurns = codon.exhaustWithPrompt === undefined ? 1 : codon.maxExtensions + 1
  const turn = turns.slice(0, mostTurns).find(({ kind }) => kind !== 'succeed')
  switch (turn?.kind) {
    case undefined:
    case 'succeed':
      return { status: 'completed', retriable: false }
    case 'retriable':
      return { status: 'failed', retriable: true, hint: turn.hint }
    case 'final':
      return { status: 'failed', retriable: false }
    case 'full':
      return loop?.limit === null || codon.exhaustWithPrompt !== undefined
        ? { status: 'completed', retriable: false, full: true }
        : { status: 'failed', retriable: false }
    case 'hang':
    case 'hang-in-tool':
      return timePasses ? { status: 'failed', retriable: true } : undefined
  }
}

/** Something ran before, but nothing of it has a session. */
function isLost(thread: readonly Done[], id: string): boolean {
  const earlier = thread.filter(done => done.id !== id)
  return earlier.length > 0 && !earlier.some(done => done.hasSession)
}

function settle(model: Model, done: Done): Model {
  const { stop } = model
  const run = openRun(model)
  const idle = told(
    {
      ...model,
      activity: 'idle',
      current: undefined,
      stop: undefined,
      thread: [...model.thread, done],
      runs: run ? [...model.runs.slice(0, -1), { ...run, codons: [...run.codons, done] }] : model.runs,
    },
    `end ${done.id} ${done.status}`,
    ...iterationEnd(model, done),
  )
  if (model.shuttingDown) return gone(idle)
  if (stop === 'force') return hold(idle)
  if (stop === 'skip') return passOver(idle, done)
  return goOn(idle)
}

/** A skip leads to the next codon. One that failed by itself just before leaves the record of a skip as well. */
function passOver(model: Model, done: Done): Model {
  if (!isPassed(model.plan, done))
    return begin(model, done.id, { attempt: done.attempt + 1, stillborn: true })
  const next = nameAfter(model.plan, done)
  return next === undefined ? finish(model) : begin(model, next, { attempt: 1 })
}

/** What happens by itself after a codon. */
function goOn(model: Model): Model {
  const run = openRun(model)
  if (!run || model.byItself === 'nothing') return model
  const last = run.codons.at(-1)
  if (last && !isPassed(model.plan, last)) return onFailure(model, last)
  const previous = last ?? model.thread.at(-1)
  const next = previous ? nameAfter(model.plan, previous) : firstName(model.plan, 0)
  if (next === undefined) return finish(model)
  return model.byItself === 'all' ? begin(model, next, { attempt: 1 }) : told(model, 'idle codon-completed')
}

function onFailure(model: Model, { id, attempt, retriable, hint }: Done): Model {
  const { codon } = placeOf(model.plan, id) ?? {}
  if (codon?.onFailure === 'retry' && retriable && attempt < codon.retry.maxAttempts) {
    const delay = hint ?? Math.min(codon.retry.delayMs * 2 ** (attempt - 1), codon.retry.maxDelayMs)
    const waits: Model = { ...model, activity: 'waiting', current: { id, attempt: attempt + 1 } }
    const parked = delay > 60_000 ? [`parked ${id}`] : []
    return told(waits, `wait ${id} ${attempt + 1} ${delay}`, ...parked)
  }
  const failed = closeRun(
    { ...model, byItself: 'nothing' },
    'failed',
    `error ${id} ${retriable ? 'codon' : 'fatal'}`,
  )
  const idle = retriable ? told(failed, 'idle codon-completed') : failed
  return retriable && !model.headless ? idle : over(idle, 'failed')
}

function finish(model: Model): Model {
  const done = told(closeRun({ ...model, byItself: 'nothing' }, 'completed'), 'idle all-codons-completed')
  return model.headless ? over(done, 'completed') : done
}

/** After a stop by force the hank waits; without anybody to wait for it ends. */
function hold(model: Model): Model {
  const held = told({ ...model, byItself: 'nothing' }, 'idle codon-completed')
  return model.headless ? over(closeRun(held, 'stopped'), 'failed') : held
}

function gone(model: Model): Model {
  return over(closeRun({ ...model, activity: 'idle' }, 'stopped'), 'stopped')
}

function startOnCommand(model: Model, id: string): Model {
  const ready = openRun(model) ? model : resume(model)
  const attempt = attemptsIn(ready, id) + 1
  return begin({ ...ready, byItself: model.autostart ? 'all' : 'no-start' }, id, { attempt })
}

/** A new run that goes on after the last codon that the plan passed. */
function resume(model: Model): Model {
  const { thread, plan } = model
  const at = thread.findLastIndex(done => isPassed(plan, done))
  return newRun(model, thread.slice(0, at + 1))
}

/** A new run from where the last codon that completed or failed began. */
function redo(model: Model): Model {
  const { thread } = model
  const at = thread.findLastIndex(hasRun)
  const { id = '' } = thread[at] ?? {}
  const before = thread.slice(0, at).findLastIndex(done => done.id !== id)
  return startOnCommand(newRun(closeRun(model, 'stopped'), thread.slice(0, before + 1)), id)
}

function newRun(model: Model, thread: readonly Done[]): Model {
  const from = thread.at(-1)?.id ?? 'the beginning'
  const runs = [...model.runs, { status: 'running', codons: [] } as const]
  return told({ ...model, thread, runs }, `run from ${from}`)
}

function begin(
  model: Model,
  id: string,
  { attempt, stillborn = false }: { readonly attempt: number; readonly stillborn?: boolean },
): Model {
  const current = { id, attempt, ...(stillborn && { stillborn }) }
  const stop = stillborn ? ('skip' as const) : undefined
  return told({ ...model, activity: 'codon', current, stop }, `start ${id} ${attempt}`)
}

function stopped(model: Model, stop: 'skip' | 'force' | 'shutdown'): Model {
  return { ...model, stop: model.stop ?? stop }
}

function closeRun(
  model: Model,
  status: 'completed' | 'failed' | 'stopped',
  ...between: readonly string[]
): Model {
  const run = openRun(model)
  if (!run) return model
  const runs = [...model.runs.slice(0, -1), { ...run, status }]
  return told({ ...model, runs }, `run ${status}`, ...between, `summary ${status}`)
}

function over(model: Model, end: 'completed' | 'failed' | 'stopped'): Model {
  return { ...model, activity: 'over', end }
}

function accepted(model: Model): { readonly answer: 'ok'; readonly model: Model } {
  return { answer: 'ok', model }
}

function told(model: Model, ...lines: readonly string[]): Model {
  return { ...model, lines: [...model.lines, ...lines] }
}

function openRun({ runs }: Model): ModelRun | undefined {
  const run = runs.at(-1)
  return run?.status === 'running' ? run : undefined
}

function attemptsIn(model: Model, id: string): number {
  return openRun(model)?.codons.findLast(done => done.id === id)?.attempt ?? 0
}

function hasRun({ status }: Done): boolean {
  return status === 'completed' || status === 'failed'
}

function isPassed(plan: Plan, { id, status }: Done): boolean {
  return status !== 'failed' || placeOf(plan, id)?.codon.onFailure === 'ignore'
}

/** A loop's iteration ends with its last codon, or with the one that filled the context. */
function iterationEnd(model: Model, done: Done): readonly string[] {
  const { loop, index, iteration } = placeOf(model.plan, done.id) ?? {}
  if (!loop || done.isInterrupted || !isPassed(model.plan, done)) return []
  const leaves = loop.limit === null && done.full
  if (index !== loop.codons.length - 1 && !leaves) return []
  const isLast = leaves || (loop.limit !== null && (iteration ?? 0) + 1 >= loop.limit)
  return [`iteration ${loop.id} ${iteration}${isLast ? ' last' : ''}`]
}
