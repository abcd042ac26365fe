import { type Command, type EventData, isLive } from '@weave/protocol'
import { createInbox } from '../kit/index.ts'
import { find, type Step, stepAt } from '../plan/index.ts'
import { type Activity, admit, type Situation } from './admit.ts'
import { type Announcer, type AnnouncerOptions, createAnnouncer } from './announce.ts'
import { type Outcome, runCodon } from './codon.ts'
import type { CommandResult, Control } from './control.ts'
import { decide, type Move } from './decide.ts'
import { refuse } from './messages.ts'
import { parkedAfterMs } from './retry.ts'
import { createRunBook, type RunBook } from './run-book.ts'
import { createStopper, type Stopper, type StopReason } from './stop.ts'
import { previousSession } from './thread.ts'

/**
 * The machine.
 *
 * - **R1** Only `record` changes state. It is synchronous: write the journal line, reduce in memory, then tell.
 * - **R2** At most one task lives: a codon, or the wait for its next attempt.
 * - **R3** The loop waits in exactly one place: `inbox.take()`.
 * - **R4** A codon task never reads or writes state. It reports through functions and returns an `Outcome`.
 * - **R5** Stopping is `stop(reason)`; the first reason wins.
 * - **R6** Replaying the journal's transitions gives the live state, byte for byte.
 * - **R7** Whatever a task opened is closed when its promise settles.
 */
export interface Runner extends Control {
  /** Resolves when nothing more will happen. Never rejects. */
  readonly done: Promise<RunnerEnd>
  /** As the command `server.shutdown`, for signals. */
  shutdown(reason: string): void
}

export interface RunnerEnd {
  readonly status: 'completed' | 'failed' | 'stopped'
  readonly reason?: string
}

export interface RunnerOptions extends AnnouncerOptions {
  /** False: every codon waits for a command. */
  readonly autostart: boolean
  /** Without a client to wait for: begins at once and ends with the hank. */
  readonly headless: boolean
}

const snapshotEvery = 30_000

export function startRunner(options: RunnerOptions): Runner {
  const machine = new Machine(options)
  const done = machine.loop()
  return {
    done,
    submit: command => machine.submit(command),
    clientArrived: () => machine.put({ type: 'client' }),
    shutdown: reason => machine.put({ type: 'shutdown', reason }),
    snapshot: () => machine.snapshot(),
  }
}

type Input =
  | { readonly type: 'command'; readonly command: Command; readonly answer: (result: CommandResult) => void }
  | { readonly type: 'settled'; readonly step: Step; readonly outcome: Outcome }
  | { readonly type: 'woke' }
  | { readonly type: 'client' }
  | { readonly type: 'shutdown'; readonly reason: string }
  /** The codon could not even be recorded. */
  | { readonly type: 'fault'; readonly error: unknown }

/** An attempt that will be made: asked for by a person, or waited for. */
interface Attempt {
  readonly step: Step
  readonly attempt: number
  readonly withoutRig: boolean
}

class Machine {
  readonly #options: RunnerOptions
  readonly #inbox = createInbox<Input>()
  readonly #say: Announcer
  readonly #book: RunBook
  #activity: Activity = 'idle'
  #stopper: Stopper | undefined
  /** Nothing starts by itself until a person says so. */
  #held: boolean
  #wish: Attempt | undefined
  #waitingFor: Attempt | undefined
  #retryAfterMs: number | undefined
  /** Set when the machine is going down. */
  #goingDown: string | undefined
  #end: RunnerEnd | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#say = createAnnouncer(options)
    this.#book = createRunBook(options)
    this.#held = !options.headless
  }

  put(input: Input): boolean {
    return this.#inbox.put(input)
  }

  submit(command: Command): Promise<CommandResult> {
    return new Promise(answer => {
      if (!this.put({ type: 'command', command, answer })) answer(refuse('SHUTTING_DOWN'))
    })
  }

  snapshot(): Promise<EventData<'state.snapshot'>> {
    return this.#say.snapshot(this.#activity === 'rollback')
  }

  /** What cannot be recorded must not go on: a journal that fails ends everything, and nothing is called a success. */
  async loop(): Promise<RunnerEnd> {
    try {
      const end = await this.#runToEnd()
      this.#options.journal.flush()
      return end
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#stopper?.stop({ kind: 'shutdown', reason })
      return { status: 'failed', reason }
    } finally {
      this.#refuseTheRest()
    }
  }

  async #runToEnd(): Promise<RunnerEnd> {
    this.#book.open(this.#book.resumePoint())
    if (this.#held) this.#say.idle('startup', 'Waiting for a client.')
    for (;;) {
      if (this.#activity === 'idle') this.#act()
      if (this.#end) return this.#end
      const input = await this.#inbox.take()
      if (input) await this.#handle(input)
    }
  }

  /** Starts what is next, if anything may start now. */
  #act(): void {
    if (this.#wish) {
      const wish = this.#wish
      this.#wish = undefined
      this.#start(wish)
      return
    }
    if (this.#held) return
    const move = decide(this.#options.plan, this.#options.recorder.state, {
      retryAfterMs: this.#retryAfterMs,
    })
    if (move.kind === 'start') this.#start(move)
    else if (move.kind === 'retry') this.#wait(move)
    else if (move.kind === 'finish') this.#finish()
    else if (move.kind === 'abort') this.#abort(move)
  }

  #start({ step, attempt, withoutRig }: Attempt): void {
    const { plan, ports, clock, recorder } = this.#options
    const stopper = createStopper()
    const stopSnapshots = clock.every(snapshotEvery, () => void this.#say.snapshotIfNew())
    this.#activity = 'codon'
    this.#stopper = stopper
    this.#retryAfterMs = undefined
    const continues = step.codon.continuation === 'continue-previous'
    const task = runCodon({
      plan,
      step,
      attempt,
      withoutRig,
      previousSessionId: continues ? previousSession(recorder.state) : undefined,
      isFirst: this.#book.thread().length === 0,
      ports,
      clock,
      stopper,
      record: transition => void recorder.record(transition),
      tell: told => this.#say.tell(told),
      begun: () => undefined,
      costSoFar: () => this.#book.run()?.codons.at(-1)?.cost ?? 0,
    })
    const settled = (input: Input) => {
      stopSnapshots()
      this.put(input)
    }
    task.then(
      outcome => settled({ type: 'settled', step, outcome }),
      (error: unknown) => settled({ type: 'fault', error }),
    )
  }

  /** Waits for the moment of the next attempt; a skip, a stop or a shutdown cuts it short. */
  #wait({ step, attempt, delayMs }: Move & { kind: 'retry' }): void {
    const { clock } = this.#options
    const codonId = step.runtimeId
    const last = this.#book.run()?.codons.at(-1)
    const resumeAt = new Date(clock.now().getTime() + delayMs).toISOString()
    const failureReason =
      last?.status === 'failed' ? last.failureReason : ({ type: 'unknown', retriable: true } as const)
    const { maxAttempts } = step.codon.retry
    this.#say.tell({
      type: 'codon.retrying',
      data: { codonId, attempt, maxAttempts, delayMs, resumeAt, failureReason },
    })
    if (delayMs > parkedAfterMs) {
      const reason = failureReason.message ?? failureReason.type
      this.#say.tell({ type: 'run.parked', data: { codonId, until: resumeAt, reason } })
    }
    this.#activity = 'waiting'
    this.#stopper = createStopper()
    this.#waitingFor = { step, attempt, withoutRig: false }
    const woke = () => void this.put({ type: 'woke' })
    clock.sleep(delayMs, this.#stopper.signal).then(woke, woke)
  }

  #finish(): void {
    this.#book.close('completed')
    this.#say.runEnd()
    this.#say.idle('all-codons-completed', 'All codons are done.')
    this.#held = true
    if (this.#options.headless) this.#end = { status: 'completed' }
  }

  /** A retriable failure leaves the server up for a redo; any other ends it. */
  #abort({ codonId, retriable, reason }: Move & { kind: 'abort' }): void {
    this.#book.fail(reason, codonId)
    const severity = retriable ? 'codon' : 'fatal'
    this.#say.tell({ type: 'error', data: { message: reason, codon: codonId, fatal: !retriable, severity } })
    this.#say.runEnd()
    this.#held = true
    if (retriable) this.#say.idle('codon-completed', 'The codon failed; codon.redo runs it again.')
    if (!retriable || this.#options.headless) this.#end = { status: 'failed', reason }
  }

  async #handle(input: Input): Promise<void> {
    switch (input.type) {
      case 'command':
        input.answer(await this.#command(input.command))
        return
      case 'settled':
        this.#settled(input.step, input.outcome)
        return
      case 'woke':
        await this.#woke()
        return
      case 'client':
        if (this.#options.autostart && this.#book.run()?.codons.length === 0) this.#held = false
        return
      case 'shutdown':
        this.#goDown(input.reason)
        return
      case 'fault':
        throw input.error
    }
  }

  async #command(command: Command): Promise<CommandResult> {
    const refusal = admit(command.type, this.#situation())
    if (refusal) return refuse(refusal)
    this.#say.answer(command.id)
    switch (command.type) {
      case 'codon.start':
        return this.#startNamed(command.data.codonId, command.data.skipPreCommands)
      case 'codon.next':
        return this.#grant(this.#book.next(), false)
      case 'codon.redo':
        return await this.#redo()
      case 'codon.skip':
        return this.#stop({ kind: 'skip' })
      case 'codon.forceStop':
        return this.#stop({ kind: 'force-stop', reason: command.data.reason })
      case 'server.shutdown':
        return this.#goDown(command.data.reason ?? 'a client asked for it')
      case 'rollback.toCheckpoint':
      case 'rollback.toCodon':
      case 'rollback.toLastSuccess':
        return refuse('UNKNOWN_CHECKPOINT')
      case 'checkpoint.list':
      case 'history.sync':
      case 'ping':
      case 'ping.broadcast':
        // Answered by the server; they change nothing here.
        return { ok: true }
    }
  }

  #startNamed(name: string, withoutRig: boolean): CommandResult {
    const position = find(this.#options.plan, name)
    const step = position && stepAt(this.#options.plan, position)
    return step ? this.#grant(step, withoutRig) : refuse('UNKNOWN_CODON', `The plan has no codon ${name}.`)
  }

  /** A new run that goes on from before the last codon, in the workspace as it was then. */
  async #redo(): Promise<CommandResult> {
    const last = this.#book.thread().at(-1)
    const position = last && find(this.#options.plan, last.codonId)
    const step = position && stepAt(this.#options.plan, position)
    if (!step) return refuse('NOTHING_TO_REDO')
    const { startedFrom, sha } = this.#book.redoPoint()
    const restored = sha === undefined ? undefined : await this.#options.ports.restore(sha)
    if (restored && !restored.ok) return refuse('INTERNAL_ERROR', restored.message)
    this.#book.close('stopped', 'redo')
    this.#book.open(startedFrom)
    return this.#grant(step, false)
  }

  #grant(step: Step | undefined, withoutRig: boolean): CommandResult {
    if (!step) return refuse('NO_NEXT_CODON')
    if (!this.#book.isOpen()) this.#book.open(this.#book.resumePoint())
    this.#wish = { step, attempt: this.#book.attemptAt(step), withoutRig }
    this.#held = !this.#options.autostart
    return { ok: true }
  }

  #stop(reason: StopReason): CommandResult {
    this.#stopper?.stop(reason)
    return { ok: true }
  }

  #goDown(reason: string): CommandResult {
    this.#goingDown ??= reason
    const busy = this.#activity === 'codon' || this.#activity === 'waiting'
    this.#activity = 'shutting-down'
    if (busy) this.#stopper?.stop({ kind: 'shutdown', reason })
    else if (!this.#stopper) this.#isDown()
    return { ok: true }
  }

  #isDown(): void {
    const reason = this.#goingDown ?? 'stopped'
    if (this.#book.isOpen()) {
      this.#book.close('stopped', reason)
      this.#say.runEnd()
    }
    this.#end = { status: 'stopped', reason }
  }

  #settled(step: Step, outcome: Outcome): void {
    this.#stopper = undefined
    this.#retryAfterMs = outcome.retryAfterMs
    if (this.#goingDown === undefined) this.#activity = 'idle'
    this.#say.tell({ type: 'codon.completed', data: outcome.completed })
    this.#say.iteration(step)
    void this.#say.snapshotIfNew()
    if (this.#goingDown !== undefined) this.#isDown()
    else if (outcome.stopped?.kind === 'force-stop') this.#holdAfterStop('The codon was stopped.')
    else if (this.#held) this.#say.idle('codon-completed', 'The codon has ended.')
  }

  /** The wait for the next attempt is over, or was cut short. */
  async #woke(): Promise<void> {
    const waited = this.#waitingFor
    const reason = this.#stopper?.reason
    this.#stopper = undefined
    this.#waitingFor = undefined
    if (this.#goingDown !== undefined) {
      this.#isDown()
      return
    }
    this.#activity = 'idle'
    if (!waited) return
    if (reason?.kind === 'skip') this.#skipAttempt(waited)
    else if (reason) this.#holdAfterStop('The wait for the next attempt was ended.')
    else await this.#retry(waited)
  }

  #holdAfterStop(message: string): void {
    this.#held = true
    this.#say.idle('codon-completed', message)
    if (!this.#options.headless) return
    this.#book.close('stopped', 'stopped by force')
    this.#say.runEnd()
    this.#end = { status: 'failed', reason: 'stopped by force' }
  }

  /** A retry begins where the codon began. */
  async #retry(waited: Attempt): Promise<void> {
    const sha = this.#book.startOf(waited.step)
    const restored = sha === undefined ? undefined : await this.#options.ports.restore(sha)
    if (restored && !restored.ok) {
      this.#say.tell({
        type: 'error',
        data: { message: restored.message, fatal: false, severity: 'warning' },
      })
    }
    this.#start(waited)
  }

  /** An attempt that a person skipped before it began: it has a record of its own, so that the plan goes on. */
  #skipAttempt({ step, attempt }: Attempt): void {
    const { clock, recorder } = this.#options
    const now = clock.now().toISOString()
    const codonId = step.runtimeId
    const { name: codonName, model } = step.codon
    const exitStatus = { type: 'killed', signal: 'SIGTERM' } as const
    recorder.record({
      type: 'CodonStarted',
      data: { codonId, codonName, attempt, startTime: now, model: model.id },
    })
    recorder.record({ type: 'CodonTransitioned', data: { codonId, to: 'skipped', endTime: now, exitStatus } })
    this.#say.tell({
      type: 'codon.completed',
      data: { codonId, success: false, cost: 0, duration: 0, exitStatus },
    })
    this.#say.iteration(step)
    if (this.#held) this.#say.idle('codon-completed', 'The codon was skipped.')
  }

  #situation(): Situation {
    const { plan } = this.#options
    const ended = this.#book.thread().some(codon => !isLive(codon) && find(plan, codon.codonId) !== undefined)
    return { activity: this.#activity, hasNext: this.#book.next() !== undefined, hasHistory: ended }
  }

  /** Nobody waits for an answer that will never come. */
  #refuseTheRest(): void {
    this.#inbox.close()
    const drain = async (): Promise<void> => {
      for (let input = await this.#inbox.take(); input; input = await this.#inbox.take()) {
        if (input.type === 'command') input.answer(refuse('SHUTTING_DOWN'))
      }
    }
    void drain()
  }
}
