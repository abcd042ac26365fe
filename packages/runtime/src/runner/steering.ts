import type { Command, DecidedBy, WeaveState } from '@weave/protocol'
import { codonNamed, type Plan, type PlannedCodonAt } from '../plan/index.ts'
import type { Attempt } from './attempt.ts'
import { type Activity, admit } from './command-rules.ts'
import type { CommandResult } from './control.ts'
import type { Effects } from './effects.ts'
import type { AfterDecision, GateDesk } from './gate-desk.ts'
import { refuse } from './input.ts'
import { type Beginning, nextStep, redoPoint, situationOf } from './resume-point.ts'
import type { RollbackCommand } from './rollback-target.ts'
import type { RunEvents } from './run-events.ts'
import type { RunBook, RunEnds } from './run-lifecycle.ts'
import type { StopReason } from './stop.ts'

/** What a command can make the machine do. */
export interface Hands {
  activity(): Activity
  state(): WeaveState
  /** Starts there, as soon as nothing else is to be done first; undefined: comes to the end of the plan. */
  grant(wish: (Beginning & Pick<Attempt, 'gated'>) | undefined, commandId: string): CommandResult
  stop(reason: StopReason & { readonly kind: 'skip' | 'force-stop' }, commandId?: string): CommandResult
  rollBack(command: RollbackCommand): CommandResult
  goDown(reason: string): void
  follow(then: AfterDecision): void
  /** Nothing runs, and nothing starts by itself. */
  isStill(): boolean
  /** Whether no gate stands on the way; one that does is asked. */
  passes(next: PlannedCodonAt): Promise<boolean>
}

export interface SteeringOptions {
  readonly plan: Plan
  readonly effects: Pick<Effects, 'rollback'>
  readonly desk: GateDesk
  readonly events: RunEvents
  readonly ends: RunEnds
  readonly book: RunBook
  readonly hands: Hands
}

/** Commands of clients, each turned into what the machine does. */
export class Steering {
  readonly #options: SteeringOptions

  constructor(options: SteeringOptions) {
    this.#options = options
  }

  async obey(command: Command, by: DecidedBy): Promise<CommandResult> {
    const { plan, hands, desk, events } = this.#options
    const refusal = admit(command.type, this.#situation())
    if (refusal) return refuse(refusal)
    switch (command.type) {
      case 'codon.start':
        return this.#startNamed(command, by)
      case 'codon.next':
        return this.#next(command, by)
      case 'codon.redo':
        return this.#redo(command, by)
      case 'codon.skip':
        return hands.stop({ kind: 'skip' }, command.id)
      case 'codon.forceStop':
        return hands.stop({ kind: 'force-stop', reason: command.data.reason }, command.id)
      case 'server.shutdown':
        events.answer(command.id)
        hands.goDown(command.data.reason ?? 'a client asked for it')
        return { ok: true }
      case 'rollback.toCheckpoint':
      case 'rollback.toCodon':
      case 'rollback.toLastSuccess': {
        const asked = hands.rollBack(command)
        if (asked.ok) desk.settle('withdrawn', { by: { ...by, via: 'rollback' } })
        return asked
      }
      case 'gate.decide':
      case 'gate.release': {
        const answered = await desk.obey(command, { by, commandId: command.id })
        if (answered.ok) hands.follow(answered.leads)
        return answered.ok ? { ok: true } : answered.refusal
      }
      case 'gate.hold': {
        const { before } = command.data
        if (before !== undefined && !isNamed(plan, before)) return unknownCodon(before)
        desk.arm(before, { by, commandId: command.id })
        return this.#holdNow()
      }
      case 'checkpoint.list':
      case 'events.select':
      case 'history.sync':
      case 'ping':
      case 'ping.broadcast':
        // Answered by the server; they change nothing here.
        return { ok: true }
    }
  }

  /** A gate at the end of the plan is a next step, too. */
  #situation() {
    const { plan, hands, desk } = this.#options
    const situation = situationOf(plan, hands.state(), hands.activity())
    return { ...situation, hasNext: situation.hasNext || desk.move(undefined).kind !== 'pass' }
  }

  /** With a hold before what comes next, a run in which nothing runs waits there at once. */
  async #holdNow(): Promise<CommandResult> {
    const { plan, hands, desk } = this.#options
    const next = hands.isStill() ? nextStep(plan, hands.state())?.at : undefined
    if (next && desk.move(next).kind === 'ask') await hands.passes(next)
    return { ok: true }
  }

  #startNamed({ id, data }: Command<'codon.start'>, by: DecidedBy): CommandResult {
    const { plan, hands, desk } = this.#options
    const { codonId, skipPreCommands: withoutRig } = data
    const at = codonNamed(plan, codonId)
    if (!at) return unknownCodon(codonId)
    desk.settle('bypassed', { by })
    return hands.grant({ at, withoutRig }, id)
  }

  /** At a gate it approves; other gates on the way are asked. */
  async #next({ id }: Command<'codon.next'>, by: DecidedBy): Promise<CommandResult> {
    const { plan, hands, desk } = this.#options
    if (desk.waiting) {
      const decided = await desk.decide({ seq: desk.waiting.seq, decision: 'approve' }, { by })
      if (!decided.ok) return decided.refusal
    }
    const next = nextStep(plan, hands.state())
    return hands.grant(next && { ...next, gated: true }, id)
  }

  /** A new run that goes on from before the codon, in the workspace as it was then. */
  async #redo({ id }: Command, by: DecidedBy): Promise<CommandResult> {
    const { plan, hands, desk, effects, ends, book } = this.#options
    const point = redoPoint(plan, hands.state())
    if (!point) return refuse('NOTHING_TO_REDO')
    const { at, sha, startedFrom } = point
    const restored = sha === undefined ? undefined : await effects.rollback.restore(sha)
    if (restored && !restored.ok) return refuse('INTERNAL_ERROR', restored.message)
    desk.settle('withdrawn', { by })
    ends.close('stopped', 'redo')
    book.open(startedFrom)
    return hands.grant({ at, withoutRig: false }, id)
  }
}

function unknownCodon(codonId: string): CommandResult {
  return refuse('UNKNOWN_CODON', `The plan has no codon ${codonId}.`)
}

/** A codon, in any iteration, or a loop. */
function isNamed(plan: Plan, name: string): boolean {
  return codonNamed(plan, name) !== undefined || plan.items.some(({ id }) => id === name)
}
