import type { Command, CommandData, DecidedBy, EventData, GateDecision } from '@weave/protocol'
import {
  emptyBook,
  type GateBook,
  type GateMove,
  gateMove,
  heard,
  type Note,
  type Place,
  placeOf,
  redoAfter,
  versionAt,
  type Waiting,
} from '../gates/index.ts'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId } from '../kit/index.ts'
import type { Plan, PlannedCodonAt, PlannedGate } from '../plan/index.ts'
import type { CommandResult } from './control.ts'
import type { GateEffects } from './gate-effects.ts'
import { decidedWords, staleWords } from './gate-words.ts'
import { refuse } from './input.ts'
import { nextStep } from './resume-point.ts'
import type { RollbackCommand } from './rollback-target.ts'
import type { RunEvents } from './run-events.ts'
import type { Recorder } from './state-recorder.ts'

export interface GateDeskOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
  readonly events: RunEvents
  readonly gates?: Gating | undefined
  /** Called when nobody decided in time. */
  readonly onExpired: (seq: number) => void
}

/** What the machine is given about gates; absent: there are none, and nothing is looked at before a hold is approved. */
export interface Gating {
  /** What the journal knew when this server started. */
  readonly book: GateBook
  readonly effects: GateEffects
  /** Gates that a person left out of this start. */
  readonly dropped?: ReadonlySet<string> | undefined
  /** What a run does at a gate; default: it waits. */
  readonly onGate?: 'wait' | 'exit' | undefined
}

/** What a decision leads to. */
export type AfterDecision =
  | { readonly kind: 'go-on' | 'nothing' }
  | { readonly kind: 'redo'; readonly codonId: string }
  | { readonly kind: 'stop'; readonly reason: string }

export type Deciding =
  | { readonly ok: true; readonly leads: AfterDecision }
  | { readonly ok: false; readonly refusal: CommandResult }

/** Asks at gates, and writes down what was answered. Changes no state; what it knows it has heard from the journal. */
export class GateDesk {
  readonly #options: GateDeskOptions
  readonly #gates: readonly PlannedGate[]
  readonly #dropped: ReadonlySet<string>
  #book: GateBook
  #timer: AbortController | undefined

  constructor(options: GateDeskOptions) {
    const { plan, journal, gates } = options
    this.#options = options
    this.#gates = plan.gates ?? []
    this.#dropped = gates?.dropped ?? new Set()
    this.#book = gates?.book ?? emptyBook
    journal.subscribe(({ event }) => {
      this.#book = heard(this.#book, event)
    })
  }

  get waiting(): Waiting | undefined {
    return this.#book.waiting
  }

  get exits(): boolean {
    return this.#options.gates?.onGate === 'exit'
  }

  /** What a start has to say first: gates that are left out, questions that a rollback at rest or another hank took away. */
  open(): void {
    const { orphan } = this.#book
    if (orphan) this.#append(orphan, { decision: 'withdrawn', by: { via: 'rollback' } })
    const by = { via: 'cli', ...this.#user() } as const
    const open = this.#book.waiting
    if (open && !this.#dropped.has(open.data.gateId) && this.#isElsewhere(open))
      this.#append(open, { decision: 'withdrawn', by })
    for (const gateId of this.#dropped) {
      const { waiting } = this.#book
      if (waiting?.data.gateId === gateId) this.#append(waiting, { decision: 'bypassed', by })
      else this.#unasked({ gateId, decision: 'bypassed', by })
    }
  }

  /** What a run that would go on with `next` does because of gates. */
  move(next: PlannedCodonAt | undefined): GateMove {
    return gateMove({ gates: this.#gates, dropped: this.#dropped }, this.#book, this.#place(next))
  }

  /** Asked before anything is awaited, so that a run without gates goes on without a break between what it tells. */
  isClear(next?: PlannedCodonAt): boolean {
    return this.move(next).kind === 'pass'
  }

  /** Asks, or says again what is asked already. */
  async ask(move: GateMove & { kind: 'ask' | 'wait' }, next: PlannedCodonAt | undefined): Promise<Waiting> {
    const waiting = move.kind === 'wait' ? move.waiting : await this.#askNow(move, next)
    this.#watchDeadline(waiting)
    this.#sayIdle(waiting)
    return waiting
  }

  async obey(command: Command<'gate.decide' | 'gate.release'>, from: Sender): Promise<Deciding> {
    if (command.type === 'gate.decide') return this.decide(command.data, from)
    const { gateId } = command.data
    const released = this.#release(gateId, from)
    if (!released) return { ok: false, refusal: refuse('UNKNOWN_GATE', `There is no hold ${gateId}.`) }
    return { ok: true, leads: { kind: released.wasWaiting ? 'go-on' : 'nothing' } }
  }

  /** Refused, or what follows. What was seen must be what is there. */
  async decide({ seq, decision, note }: CommandData<'gate.decide'>, from: Sender): Promise<Deciding> {
    const open = this.#questionFor(seq)
    if ('ok' in open) return { ok: false, refusal: open }
    if (this.#isLate(open)) {
      this.#options.onExpired(open.seq)
      return {
        ok: false,
        refusal: refuse('GATE_STALE', 'The time for a decision is over: it counts as rejected.'),
      }
    }
    if (decision === 'approve') {
      const changed = await this.#askAgainIfChanged(open)
      if (changed) return { ok: false, refusal: changed }
    }
    const said = { decision: decision === 'approve' ? 'approved' : 'rejected', note } as const
    return { ok: true, leads: this.#answer(open, said, from) }
  }

  /** Nobody decided in time: as if rejected. Nothing when the question is not open any more. */
  expire(seq: number): AfterDecision {
    const { waiting } = this.#book
    if (waiting?.seq !== seq) return { kind: 'nothing' }
    return this.#answer(waiting, { decision: 'expired' }, { by: { via: 'timeout' } })
  }

  /** The question is answered by something else that a person did. */
  settle(decision: GateDecision & ('withdrawn' | 'bypassed'), { by }: Sender): void {
    const { waiting } = this.#book
    if (waiting) this.#answer(waiting, { decision }, { by })
  }

  arm(
    before: string | undefined,
    { by, commandId, message }: Sender & { readonly message?: string },
  ): string {
    const gateId = `hold-${this.#book.armed + 1}`
    const place = before === undefined ? {} : { before }
    const words = message === undefined ? {} : { message }
    this.#options.journal.append('gate.armed', { gateId, ...place, ...words, by }, { commandId })
    return gateId
  }

  /** Takes a hold back; undefined: there is none of that name. `wasWaiting`: the run may go on. */
  #release(gateId: string, from: Sender): { readonly wasWaiting: boolean } | undefined {
    const { holds, waiting } = this.#book
    if (!holds.some(hold => hold.gateId === gateId)) return undefined
    const wasWaiting = waiting?.data.gateId === gateId
    if (wasWaiting) this.#answer(waiting, { decision: 'withdrawn' }, from)
    else this.#unasked({ gateId, decision: 'withdrawn', by: from.by }, from.commandId)
    return { wasWaiting }
  }

  /** Appends what people wrote at gates to the files that the gates name; again does nothing. */
  async writeNotes(): Promise<void> {
    const { gates, events } = this.#options
    for (const note of this.#book.notes) {
      const file = this.#gates.find(({ id }) => id === note.gateId)?.noteFile
      const written = file === undefined ? undefined : await gates?.effects.appendNote(file, noteText(note))
      if (written?.ok === false)
        events.warning(`The note of gate ${note.gateId} is not in ${file}: ${written.message}`)
    }
  }

  close(): void {
    this.#timer?.abort()
  }

  /** A hank that was taken over may have no such gate any more, or something else to do first. */
  #isElsewhere({ data }: Waiting): boolean {
    const { plan, recorder } = this.#options
    const gates = [...this.#gates.map(({ id }) => id), ...this.#book.holds.map(({ gateId }) => gateId)]
    return !gates.includes(data.gateId) || nextStep(plan, recorder.state)?.at.runtimeId !== data.next
  }

  #place(next: PlannedCodonAt | undefined): Place {
    const { plan, recorder } = this.#options
    return placeOf(plan, recorder.state, next)
  }

  async #askNow(move: GateMove & { kind: 'ask' }, next: PlannedCodonAt | undefined): Promise<Waiting> {
    const { gate, round } = move
    const place = this.#place(next)
    const { recorder, gates } = this.#options
    const checkpoint = versionAt(place, recorder.state)
    const since = this.#book.seen ?? recorder.state.runs[0]?.initialCheckpoint
    const files =
      gate.show && checkpoint !== undefined && since !== undefined
        ? await gates?.effects.shown({ from: since, to: checkpoint, patterns: gate.show })
        : undefined
    return this.#emitWaiting({
      ...questionOf(gate, place),
      round,
      ...(checkpoint !== undefined && { checkpoint }),
      ...(files && { files: [...files] }),
      ...this.#deadlineOf(gate),
    })
  }

  #deadlineOf({ timeoutSeconds }: PlannedGate): { readonly deadline?: string } {
    if (timeoutSeconds === undefined) return {}
    return { deadline: new Date(this.#options.clock.now().getTime() + timeoutSeconds * 1000).toISOString() }
  }

  #emitWaiting(data: EventData<'gate.waiting'>): Waiting {
    const { seq, timestamp } = this.#options.journal.append('gate.waiting', data)
    return { seq, since: timestamp, data }
  }

  #sayIdle({ data }: Waiting): void {
    const words = data.message === undefined ? '' : `: ${data.message}`
    const reason = data.codonId === undefined ? 'startup' : 'codon-completed'
    this.#options.events.idle(reason, `Waiting at gate ${data.gateId}${words}`)
  }

  #questionFor(seq: number): Waiting | CommandResult {
    const { waiting } = this.#book
    if (waiting?.seq === seq) return waiting
    const before = this.#decidedBefore(seq)
    if (before) return before
    return waiting ? refuse('GATE_STALE', staleWords) : refuse('UNKNOWN_GATE', 'No gate waits.')
  }

  #decidedBefore(seq: number): CommandResult | undefined {
    const decided = this.#book.decided.get(seq)
    return decided && refuse('GATE_DECIDED', decidedWords(decided.data, decided.time))
  }

  #isLate({ data }: Waiting): boolean {
    return data.deadline !== undefined && this.#options.clock.now().getTime() >= Date.parse(data.deadline)
  }

  /** Files on the disk that are not those that were asked about: kept, shown, and asked about anew. */
  async #askAgainIfChanged(open: Waiting): Promise<CommandResult | undefined> {
    const { checkpoint } = open.data
    const { gates } = this.#options
    if (checkpoint === undefined || !gates) return undefined
    const changed = await gates.effects.changedSince(checkpoint)
    if (changed.length === 0) return undefined
    const kept = await gates.effects.keep()
    if (!kept.ok) return refuse('INTERNAL_ERROR', kept.message)
    const { data } = open
    const again = this.#emitWaiting({
      ...data,
      round: data.round + 1,
      checkpoint: kept.sha,
      files: changed.slice(0, mostFiles),
    })
    this.#watchDeadline(again)
    this.#sayIdle(again)
    const names = changed
      .slice(0, 3)
      .map(({ path }) => path)
      .join(', ')
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
    return refuse('GATE_STALE', `Files have changed since: ${names}${more}. Look at them, then decide again.`)
  }

  #answer(open: Waiting, given: Given, from: Sender): AfterDecision {
    this.#append(open, { ...given, by: from.by }, from.commandId)
    this.#timer?.abort()
    if (given.decision !== 'rejected' && given.decision !== 'expired') return { kind: 'go-on' }
    const { gateId } = open.data
    const redo = redoAfter(this.#book, this.#gates, gateId)
    return redo ?? { kind: 'stop', reason: `gate ${gateId} ${given.decision}` }
  }

  #append(open: Waiting, given: Given & { readonly by: DecidedBy }, commandId?: string): void {
    const { clock, journal } = this.#options
    const { note, decision, by } = given
    journal.append(
      'gate.decided',
      {
        waitingSeq: open.seq,
        gateId: open.data.gateId,
        decision,
        by,
        ...(note !== undefined && note !== '' && { note }),
        waitedMs: Math.max(0, clock.now().getTime() - Date.parse(open.since)),
        ...(open.data.checkpoint !== undefined && { checkpoint: open.data.checkpoint }),
      },
      { commandId },
    )
  }

  /** A decision on a gate that the run never came to. */
  #unasked(decided: Pick<EventData<'gate.decided'>, 'gateId' | 'decision' | 'by'>, commandId?: string): void {
    this.#options.journal.append('gate.decided', { waitingSeq: 0, ...decided, waitedMs: 0 }, { commandId })
  }

  #watchDeadline({ seq, data }: Waiting): void {
    this.#timer?.abort()
    if (data.deadline === undefined) return
    const { clock, onExpired } = this.#options
    const timer = new AbortController()
    this.#timer = timer
    const left = Math.max(0, Date.parse(data.deadline) - clock.now().getTime())
    clock.sleep(left, timer.signal).then(
      () => onExpired(seq),
      () => undefined,
    )
  }

  #user(): { readonly user?: string } {
    const user = this.#options.gates?.effects.user
    return user === undefined ? {} : { user }
  }
}

/** Who decides, and the command that the decision answers. */
export interface Sender {
  readonly by: DecidedBy
  readonly commandId?: string | undefined
}

interface Given {
  readonly decision: GateDecision
  readonly note?: string | undefined
}

/** What leads back to where a codon started, and on from there. */
export function redoCommand({ codonId }: { readonly codonId: string }): RollbackCommand {
  const data = { codonId, checkpointType: 'start', autoRestart: true } as const
  return { id: createId('gate'), type: 'rollback.toCodon', data }
}

const mostFiles = 200

function questionOf({ id, message }: PlannedGate, { last, next }: Place) {
  return {
    gateId: id,
    ...(last && { codonId: last.record.codonId, runId: last.runId, attempt: last.record.attempt }),
    ...(next && { next: next.runtimeId }),
    ...(message !== undefined && { message }),
  }
}

/** The heading is the note's own: by it one that is there already is found. */
function noteText({ gateId, time, decision, text }: Note): {
  readonly heading: string
  readonly text: string
} {
  return { heading: `## Gate ${gateId}, ${decision} at ${time}`, text }
}
