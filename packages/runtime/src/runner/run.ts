import { type Command, currentRun, type DecidedBy, type EventData, type WeaveState } from '@weave/protocol'
import { createAsyncQueue, messageOf } from '../kit/index.ts'
import type { PlannedCodonAt } from '../plan/index.ts'
import { type Attempt, admitted, passedOver } from './attempt.ts'
import { beginAttempt, crossing } from './border.ts'
import type { Activity } from './command-rules.ts'
import type { CommandResult } from './control.ts'
import { decide, type Move } from './decide.ts'
import { type AfterDecision, GateDesk, redoCommand } from './gate-desk.ts'
import { answered, type Input, refuse, refuseTheRest } from './input.ts'
import { hasDoneAll } from './lineage.ts'
import { type AskedRollback, createPendingRollback, type PendingRollback } from './pending-rollback.ts'
import { attemptAt, type Beginning, nextStep, startOf } from './resume-point.ts'
import type { RollbackCommand } from './rollback-target.ts'
import { RuleDesk } from './rule-desk.ts'
import { createRunEvents, type RunEvents } from './run-events.ts'
import { createRunBook, createRunEnds, type RunBook, type RunEnds, type RunnerEnd } from './run-lifecycle.ts'
import type { RunnerOptions } from './runner.ts'
import { checkpointList, createSnapshots, type Snapshots } from './snapshots.ts'
import { type Hands, Steering } from './steering.ts'
import { createStopper, type Stopper, type StopReason } from './stop.ts'

/** What may happen by itself: everything, everything but the start of another codon, nothing. */
type Pace = 'open' | 'step' | 'shut'

/**
 * The machine.
 *
 * - **R1** Only `record` changes state. It is synchronous: write the journal line, reduce in memory, then emit.
 * - **R2** At most one task lives: a codon, the wait for its next attempt, or a rollback.
 * - **R3** The loop waits in exactly one place: `inputs.take()`.
 * - **R4** A task never reads or writes state. It reports through functions and returns an `Outcome`.
 * - **R5** Stopping is `stop(reason)`; the first reason wins.
 * - **R6** Replaying the journal's transitions gives the live state, byte for byte.
 * - **R7** Whatever a task opened is closed when its promise settles.
 */
export class Machine {
  readonly #options: RunnerOptions
  readonly #inputs = createAsyncQueue<Input>()
  readonly #events: RunEvents
  readonly #book: RunBook
  readonly #snapshots: Snapshots
  readonly #ends: RunEnds
  readonly #rollbacks: PendingRollback
  readonly #desk: GateDesk
  readonly #steering: Steering
  readonly #rules: RuleDesk
  readonly #fault = (error: unknown): void => void this.put({ type: 'fault', error })
  #activity: Activity = 'idle'
  #stopper: Stopper | undefined
  /** How a person wants to end what goes on now. Counts also when it came too late to be what ended the codon. */
  #asked: 'skip' | 'force-stop' | undefined
  /** Runs on after its input was put in; settles when nothing of the task is left. */
  #task: Promise<void> = Promise.resolve()
  #pace: Pace
  /** Whether the first client is still to come. */
  #awaitsClient: boolean
  #wish: Attempt | undefined
  #waitingFor: Attempt | undefined
  #retryAfterMs: number | undefined
  /** Set when the machine is going down. */
  #goingDown: string | undefined
  /** How it went on before it came to a gate. */
  #paceBefore: Pace = 'open'
  #end: RunnerEnd | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#events = createRunEvents(options)
    this.#book = createRunBook(options)
    this.#snapshots = createSnapshots(options)
    this.#rollbacks = createPendingRollback({ ...options, events: this.#events })
    const onExpired = (waitingSeq: number): void => void this.put({ type: 'expired', waitingSeq })
    this.#desk = new GateDesk({ ...options, events: this.#events, onExpired })
    const { autostart, headless, keepAlive, attended = false } = options
    const life = { book: this.#book, events: this.#events, endsWithHank: headless && !keepAlive }
    this.#ends = createRunEnds({ ...life, attended })
    const hands = this.#hands()
    this.#steering = new Steering({ ...options, ...life, desk: this.#desk, ends: this.#ends, hands })
    this.#rules = new RuleDesk({ ...options, desk: this.#desk, hands })
    this.#pace = autostart && headless ? 'open' : 'shut'
    this.#awaitsClient = autostart && !headless
  }

  #hands(): Hands {
    return {
      activity: () => this.#activity,
      state: () => this.#state(),
      isStill: () => this.#activity === 'idle' && this.#pace === 'shut' && this.#book.isOpen(),
      grant: (wish, id) => this.#grant(wish, id),
      stop: (reason, id) => this.#stop(reason, id),
      rollBack: command => this.#askForRollback(command),
      goDown: reason => this.#goDown(reason),
      follow: leads => this.#follow(leads),
      passes: next => this.#passes(next),
    }
  }

  put(input: Input): boolean {
    return this.#inputs.put(input)
  }

  submit(command: Command, by: DecidedBy = { via: 'socket' }): Promise<CommandResult> {
    return new Promise(answer => {
      if (!this.put({ type: 'command', command, by, answer })) answer(refuse('SHUTTING_DOWN'))
    })
  }

  snapshot(): Promise<EventData<'state.snapshot'>> {
    return this.#snapshots.take(this.#activity === 'rollback')
  }

  checkpoints(runId: string): Promise<EventData<'checkpoint.list'> | undefined> {
    return checkpointList(this.#state(), runId, this.#options.effects.checkpoints)
  }

  /** What cannot be recorded must not go on: a journal that fails ends everything, and nothing is called a success. */
  async loop(): Promise<RunnerEnd> {
    try {
      const end = await this.#runToEnd()
      await this.#snapshots.settled()
      this.#options.journal.flush()
      return end
    } catch (error) {
      const reason = messageOf(error)
      this.#stopper?.stop({ kind: 'shutdown', reason })
      await this.#task
      return { status: 'failed', reason }
    } finally {
      this.#desk.close()
      void refuseTheRest(this.#inputs)
    }
  }

  async #runToEnd(): Promise<RunnerEnd> {
    this.#book.open(this.#options.startFrom)
    if (this.#options.startFrom) this.#options.effects.rollback.rollbackIntent.clear()
    this.#desk.open()
    if (this.#pace === 'shut') this.#events.idle('startup', 'Waiting for a client.')
    for (;;) {
      if (this.#activity === 'idle') await this.#act()
      if (this.#end) return this.#end
      const input = await this.#inputs.take()
      if (input) await this.#handle(input)
    }
  }

  /** Starts what is next, if anything may start now. */
  async #act(): Promise<void> {
    const wish = this.#wish
    this.#wish = undefined
    if (wish && (!wish.gated || this.#desk.isClear(wish.at) || (await this.#passes(wish.at))))
      this.#start(wish)
    if (wish || this.#pace === 'shut') return
    const move = this.#move()
    if (move.kind === 'start' && this.#pace === 'open') {
      if (this.#desk.isClear(move.at) || (await this.#passes(move.at))) this.#start(move)
    } else if (move.kind === 'retry') this.#wait(move)
    else if (move.kind === 'abort') this.#stopFor(move)
    else if (move.kind === 'finish' && (this.#desk.isClear() || (await this.#passes(undefined))))
      this.#stopFor(move)
  }

  /** Whether no gate stands on the way to what comes next. One that does is asked, and everything else waits. */
  async #passes(next: PlannedCodonAt | undefined): Promise<boolean> {
    const found = this.#desk.move(next)
    if (found.kind === 'pass') return true
    if (found.kind === 'redo') {
      this.#follow(found)
      return false
    }
    if (this.#pace !== 'shut') this.#paceBefore = this.#pace
    this.#pace = 'shut'
    const { gateId } = (await this.#desk.ask(found, next)).data
    if (this.#desk.exits) this.#end = { ...this.#ends.down(`gate ${gateId}`), gate: gateId }
    return false
  }

  /** What a decision leads to. */
  #follow(leads: AfterDecision): void {
    if (leads.kind === 'stop') this.#end = this.#ends.reject(leads.reason)
    else if (leads.kind === 'go-on') [this.#pace, this.#wish] = [this.#paceBefore, this.#rules.next()]
    else if (leads.kind === 'redo') {
      const asked = this.#askForRollback(redoCommand(leads))
      if (!asked.ok) this.#end = this.#ends.reject(asked.message)
    }
  }

  #stopFor(move: Move & { kind: 'finish' | 'abort' }): void {
    this.#pace = 'shut'
    if (move.kind === 'finish') this.#events.loopsLeft(move.left)
    this.#end = move.kind === 'finish' ? this.#ends.finish() : this.#ends.abort(move)
  }

  #move(): Move {
    const { plan, times } = this.#options
    return decide(plan, this.#state(), { retryAfterMs: this.#retryAfterMs, notes: times?.() })
  }

  #start(wanted: Attempt & Pick<Extract<Move, { kind: 'start' }>, 'left'>): void {
    this.#events.loopsLeft(wanted.left)
    const attempt = admitted(this.#options, wanted)
    if ('reason' in attempt) {
      this.#stopFor(attempt)
      return
    }
    const stopper = createStopper()
    this.#activity = 'codon'
    this.#stopper = stopper
    this.#asked = attempt.skipped ? 'skip' : undefined
    this.#retryAfterMs = undefined
    const { emit } = this.#events
    const onTick = (): void => this.#emitSnapshot()
    const goesOn = (next: PlannedCodonAt): boolean => this.#pace === 'open' && this.#desk.isClear(next)
    const hooks = { desk: this.#desk, stopper, emit, onTick, goesOn }
    this.#do(beginAttempt(attempt, { ...this.#options, ...hooks }))
  }

  /** R2: what the task comes to is an input. */
  #do(task: Promise<Input>): void {
    this.#task = task.then(input => void this.put(input), this.#fault)
  }

  /** Waits for the moment of the next attempt; a skip, a stop or a shutdown cuts it short. */
  #wait({ at, attempt, delayMs }: Move & { kind: 'retry' }): void {
    this.#events.retry(at, attempt, delayMs)
    this.#activity = 'waiting'
    this.#asked = undefined
    this.#stopper = createStopper()
    this.#waitingFor = { at, attempt, withoutRig: false }
    const woke = () => void this.put({ type: 'woke' })
    this.#options.clock.sleep(delayMs, this.#stopper.signal).then(woke, woke)
  }

  /** A failed write is a fault like any other, and comes in as an input. */
  #emitSnapshot(): void {
    this.#snapshots.emitIfNew().catch(this.#fault)
  }

  #state(): WeaveState {
    return this.#options.recorder.state
  }

  async #handle(input: Input): Promise<void> {
    switch (input.type) {
      case 'command':
        return answered(input, this.#steering.obey(input.command, input.by))
      case 'settled':
        return this.#settled(input)
      case 'crossed':
        return this.#crossed(input)
      case 'rolled-back':
        return this.#rolledBack(input)
      case 'woke':
        return this.#woke()
      case 'expired':
        return this.#follow(this.#desk.expire(input.waitingSeq))
      case 'rule':
        return this.#rules.obey(input.deed)
      case 'client':
        if (this.#awaitsClient && currentRun(this.#state())?.codons.length === 0) this.#pace = 'open'
        this.#awaitsClient = false
        return
      case 'shutdown':
        return this.#goDown(input.reason)
      case 'fault':
        throw input.error
    }
  }

  /** A run that was closed at a gate at its end comes there again. */
  #grant(wish: (Beginning & Pick<Attempt, 'gated'>) | undefined, commandId: string): CommandResult {
    if (!this.#book.isOpen()) this.#book.open()
    if (wish) this.#wish = { ...wish, attempt: attemptAt(this.#state(), wish.at) }
    this.#pace = this.#options.autostart || !wish ? 'open' : 'step'
    this.#events.answer(commandId)
    return { ok: true }
  }

  /** The first of several requests wins. */
  #stop(reason: StopReason & { kind: 'skip' | 'force-stop' }, commandId?: string): CommandResult {
    if (this.#asked === undefined && commandId !== undefined) this.#events.answer(commandId)
    this.#asked ??= reason.kind
    this.#stopper?.stop(reason)
    return { ok: true }
  }

  #askForRollback(command: RollbackCommand): CommandResult {
    const asked = this.#rollbacks.ask(command)
    if (!asked.ok) return asked
    this.#activity = 'rollback'
    if (this.#stopper) this.#stopper.stop({ kind: 'rollback' })
    else this.#startRollback()
    return { ok: true }
  }

  #startRollback(): void {
    this.#do(this.#rollbacks.perform().then(result => ({ type: 'rolled-back', result })))
  }

  #rolledBack({ result }: Input & { type: 'rolled-back' }): void {
    const rollback = this.#rollbacks.take()
    this.#pace = 'shut'
    if (rollback && result.ok) this.#goOnFrom(rollback)
    if (!result.ok) this.#events.failure(result.message)
    if (this.#isFree() && !this.#wish) this.#events.idle('codon-completed', 'The rollback has ended.')
  }

  /** The run that begins at the target. */
  #goOnFrom(rollback: AskedRollback): void {
    const fromRun = currentRun(this.#state())?.runId ?? ''
    this.#ends.close('stopped', 'rollback')
    this.#book.open(rollback.target.startedFrom)
    this.#options.effects.rollback.rollbackIntent.clear()
    this.#rollbacks.completed(rollback, fromRun)
    this.#emitSnapshot()
    const next = rollback.command.data.autoRestart ? nextStep(this.#options.plan, this.#state()) : undefined
    if (!next) return
    this.#wish = { ...next, attempt: 1, gated: true }
    this.#pace = this.#options.autostart ? 'open' : 'step'
  }

  #goDown(reason: string): void {
    this.#goingDown ??= reason
    this.#activity = 'shutting-down'
    if (this.#rollbacks.isUnderWay) return
    this.#rollbacks.forget()
    if (this.#stopper) this.#stopper.stop({ kind: 'shutdown', reason })
    else this.#isDown()
  }

  /** A shutdown that came when the last codon had done its work cut nothing short: the hank is done. */
  #isDown(): void {
    if (hasDoneAll(this.#options) && this.#desk.isClear()) this.#ends.close('completed')
    this.#end = this.#ends.down(this.#goingDown ?? 'stopped')
  }

  /** After a task. A shutdown or a rollback that was asked for meanwhile comes first: then this is false. */
  #isFree(): boolean {
    this.#stopper = undefined
    if (this.#goingDown !== undefined) this.#isDown()
    else if (this.#rollbacks.isAsked) this.#startRollback()
    else this.#activity = 'idle'
    return this.#activity === 'idle'
  }

  #settled({ at, attempt, outcome }: Input & { type: 'settled' }): Promise<void> | undefined {
    this.#retryAfterMs = outcome.retryAfterMs
    this.#events.emit({ type: 'codon.completed', data: outcome.completed })
    this.#events.iteration(at)
    this.#emitSnapshot()
    const { border } = this.#options
    if (!border?.handOver || this.#goingDown !== undefined) return this.#crossed({ at, word: { kind: 'go' } })
    this.#stopper = createStopper()
    const step = { at, attempt, hasFailed: !outcome.completed.success }
    this.#do(crossing(border.handOver, step, this.#stopper.signal))
    return undefined
  }

  #crossed({ at, word }: Omit<Input & { type: 'crossed' }, 'type'>): Promise<void> | undefined {
    if (word.kind === 'leave') this.#goingDown ??= word.reason
    if (!this.#isFree()) return undefined
    if (this.#asked === 'force-stop')
      return this.#rules.waits().then(waits => (waits ? undefined : this.#hold('The codon was stopped.')))
    if (this.#asked === 'skip') this.#wish = passedOver(this.#move(), at, this.#state())
    else if (this.#asked === undefined && this.#pace === 'step') this.#step()
    return undefined
  }

  /** The next codon waits for a command; a gate before it asks at once, so that the command can answer it. */
  #step(move = this.#move()): void {
    if (move.kind !== 'start') return
    if (this.#desk.isClear(move.at)) this.#events.idle('codon-completed', 'The codon has ended.')
    else this.#wish = { ...move, gated: true }
  }

  /** The wait for the next attempt is over, or was cut short. */
  async #woke(): Promise<void> {
    const waited = this.#waitingFor
    this.#waitingFor = undefined
    if (!this.#isFree() || !waited) return
    if (this.#asked === 'skip') this.#wish = { ...waited, skipped: true }
    else if (this.#asked === 'force-stop') this.#hold('The wait for the next attempt was ended.')
    else await this.#retry(waited)
  }

  #hold(message: string): void {
    this.#pace = 'shut'
    this.#end = this.#ends.hold(message)
  }

  /** A retry begins where the codon began. */
  async #retry(waited: Attempt): Promise<void> {
    const sha = startOf(this.#state(), waited.at)
    const restored = sha === undefined ? undefined : await this.#options.effects.rollback.restore(sha)
    const codonId = waited.at.runtimeId
    if (restored?.ok !== false) this.#start(waited)
    else this.#stopFor({ kind: 'abort', codonId, retriable: true, reason: restored.message })
  }
}
