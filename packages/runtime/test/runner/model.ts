import { fullName, placeOf } from './model-plan.ts'
import { startRollback, targetOf } from './model-rollback.ts'
import {
  type Answer,
  type Ask,
  begin,
  type Checkpoints,
  type Current,
  closeRun,
  type Done,
  endTypes,
  gone,
  isPassed,
  type Model,
  type Next,
  newRun,
  nextOf,
  openRun,
  over,
  restored,
  type Status,
  type Stop,
  startSha,
  type Turn,
  told,
} from './model-state.ts'

/**
 * What part 3 of the specification and sections 5, 7 and 8 of the decisions say about steering a hank, as a small
 * machine of its own. Written from these documents; it shares no code with the runner. Pure: every function returns a
 * new model.
 */
export function newModel({
  plan,
  headless,
  autostart,
  beginning,
}: Pick<Model, 'plan' | 'headless' | 'autostart' | 'beginning'>): Model {
  const model: Model = {
    plan,
    headless,
    autostart,
    beginning,
    activity: 'idle',
    byItself: headless && autostart ? 'all' : 'nothing',
    shuttingDown: false,
    sawClient: false,
    runs: [{ status: 'running', base: [], codons: [] }],
    thread: [],
    calls: 0,
    starts: 0,
    lines: ['run from the beginning', `at ${beginning}`],
    restores: [],
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
export function ask(model: Model, asked: Ask): { readonly answer: Answer; readonly model: Model } {
  const { type, codonId, skipPreCommands: withoutRig } = asked
  const refused = (answer: Answer) => ({ answer, model })
  const busy = model.activity === 'codon' || model.activity === 'waiting'
  if (model.activity === 'over' || model.shuttingDown) return refused('SHUTTING_DOWN')
  if (model.rollback && /^(codon|rollback)/.test(type)) return refused('ROLLBACK_IN_PROGRESS')
  switch (type) {
    case 'codon.start': {
      if (busy) return refused('CODON_ALREADY_RUNNING')
      const id = fullName(model.plan, codonId)
      return id === undefined ? refused('UNKNOWN_CODON') : accepted(startOnCommand(model, { id, withoutRig }))
    }
    case 'codon.next': {
      if (busy) return refused('CODON_ALREADY_RUNNING')
      const next = nextOf(model)
      return next ? accepted(startOnCommand(model, next)) : refused('NO_NEXT_CODON')
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
    case 'rollback.toLastSuccess': {
      const found = targetOf(model, asked)
      if ('refusal' in found) return refused(found.refusal)
      const rollback = { target: found.target, autoRestart: asked.autoRestart }
      return accepted(
        busy ? { ...stopped(model, 'rollback'), rollback } : startRollback({ ...model, rollback }),
      )
    }
    default:
      return accepted(model)
  }
}

/**
 * Graceful: what runs is stopped first. Also what a signal does. A rollback that has begun is finished; one that still
 * waits for its codon to stop gives way.
 */
export function shutDown(model: Model): Model {
  if (model.activity === 'over' || model.shuttingDown) return model
  if (model.activity === 'rollback') return { ...model, shuttingDown: true }
  const going = { ...stopped(model, 'shutdown'), rollback: undefined, shuttingDown: true }
  return model.activity === 'idle' ? gone(going) : going
}

/** The session of the running codon is there. */
export function began(model: Model): Model {
  if (!model.current) return model
  return { ...model, calls: model.calls + 1, current: { ...model.current, call: model.calls } }
}

/** A version of the workspace was kept. Only what the running codon is due to leave is expected. */
export function checkpointed(model: Model, id: string, checkpoint: Checkpoints): Model {
  const { current } = model
  if (current?.id !== id) return told(model, `a checkpoint of ${id}`)
  const { call, stillborn, withoutRig } = current
  const hasRig = (placeOf(model.plan, id)?.codon.rig.length ?? 0) > 0
  if (checkpoint['rig-setup'] && (!hasRig || call !== undefined || stillborn || withoutRig))
    return told(model, `a rig of ${id}`)
  return { ...model, current: { ...current, checkpoints: { ...current.checkpoints, ...checkpoint } } }
}

/** The end of the running codon is on record; it is told in a moment. */
export function recorded(model: Model, status: Status): Model {
  return model.current ? { ...model, current: { ...model.current, status } } : model
}

/** The wait for the next attempt is over, or was cut short. `byClock`: the clock was faster than a stop that was accepted. */
export function woke(model: Model, { byClock = false } = {}): Model {
  const { current, stop } = model
  if (model.activity !== 'waiting' || !current) return model
  const idle: Model = { ...model, activity: 'idle', stop: undefined, current: undefined }
  const { id, attempt } = current
  const next = { id, withoutRig: false }
  const again = (): Model => begin(restored(idle, startSha(model, model.thread, id)), next, { attempt })
  if (byClock) return { ...again(), stop }
  if (model.shuttingDown) return gone(idle)
  if (model.rollback) return startRollback(idle)
  if (stop === 'force') return hold(idle)
  return stop === 'skip' ? begin(idle, next, { attempt, stillborn: true }) : again()
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
  const { key, id, attempt, checkpoints } = current
  if (!hasDueCheckpoints(model, current, end.status)) return told(model, `checkpoints of ${id}`)
  return settle(model, {
    full: false,
    ...end,
    key,
    id,
    attempt,
    checkpoints,
    hasSession: current.call !== undefined,
    isInterrupted: end === byStop && end.status === 'failed',
  })
}

/** One of its end, and one after its rig, unless it was stopped before its agent began. */
function hasDueCheckpoints({ plan }: Model, current: Current, status: Status): boolean {
  const { checkpoints, call, withoutRig } = current
  const ends = Object.keys(checkpoints).filter(type => type !== 'rig-setup')
  const hasRig = (placeOf(plan, current.id)?.codon.rig.length ?? 0) > 0 && !withoutRig
  const missesRig = hasRig && call !== undefined && checkpoints['rig-setup'] === undefined
  return ends.length === 1 && ends[0] === endTypes[status] && !missesRig
}

type End = Pick<Done, 'status' | 'retriable'> & Partial<Done>

function endByStop(stop: Stop): End {
  if (stop === 'skip') return { status: 'skipped', retriable: false }
  return { status: 'failed', retriable: stop !== 'force' }
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
  if (model.rollback) return startRollback(idle)
  if (stop === 'force') return hold(idle)
  if (stop === 'skip') return passOver(idle, done)
  return goOn(idle)
}

/** A skip leads to the next codon. One that failed by itself just before leaves the record of a skip as well. */
function passOver(model: Model, done: Done): Model {
  if (!isPassed(model.plan, done))
    return begin(model, { id: done.id, withoutRig: true }, { attempt: done.attempt + 1, stillborn: true })
  const next = nextOf(model)
  return next ? begin(model, next, { attempt: 1 }) : finish(model)
}

/** What happens by itself after a codon. */
function goOn(model: Model): Model {
  const run = openRun(model)
  if (!run || model.byItself === 'nothing') return model
  const last = run.codons.at(-1)
  if (last && !isPassed(model.plan, last)) return onFailure(model, last)
  const next = nextOf(model)
  if (!next) return finish(model)
  return model.byItself === 'all' ? begin(model, next, { attempt: 1 }) : told(model, 'idle codon-completed')
}

function onFailure(model: Model, { id, attempt, retriable, hint }: Done): Model {
  const { codon } = placeOf(model.plan, id) ?? {}
  if (codon?.onFailure === 'retry' && retriable && attempt < codon.retry.maxAttempts) {
    const delay = hint ?? Math.min(codon.retry.delayMs * 2 ** (attempt - 1), codon.retry.maxDelayMs)
    const current: Current = {
      key: -1,
      id,
      attempt: attempt + 1,
      checkpoints: {},
      stillborn: false,
      withoutRig: false,
    }
    const waits: Model = { ...model, activity: 'waiting', current }
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

function startOnCommand(model: Model, next: Next): Model {
  const ready = openRun(model) ? model : resume(model)
  const attempt = attemptsIn(ready, next.id) + 1
  return begin({ ...ready, byItself: model.autostart ? 'all' : 'no-start' }, next, { attempt })
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
  const kept = thread.slice(0, before + 1)
  const back = restored(model, startSha(model, kept, id))
  return startOnCommand(newRun(closeRun(back, 'stopped'), kept), { id, withoutRig: false })
}

function stopped(model: Model, stop: Stop): Model {
  return { ...model, stop: model.stop ?? stop }
}

function accepted(model: Model): { readonly answer: 'ok'; readonly model: Model } {
  return { answer: 'ok', model }
}

function attemptsIn(model: Model, id: string): number {
  return openRun(model)?.codons.findLast(done => done.id === id)?.attempt ?? 0
}

function hasRun({ status }: Done): boolean {
  return status === 'completed' || status === 'failed'
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
