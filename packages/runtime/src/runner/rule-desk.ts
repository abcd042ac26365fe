import { currentRun, type EventData, type WeaveState } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Attempt } from './attempt.ts'
import type { GateDesk } from './gate-desk.ts'
import { attemptAt, nextStep } from './resume-point.ts'
import type { RuleDeed } from './rule-deed.ts'
import type { Hands } from './steering.ts'

export interface RuleDeskOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly desk: GateDesk
  readonly hands: Pick<Hands, 'activity' | 'state' | 'stop' | 'passes'>
}

/** Does what rules let follow. Changes no state; asks the machine for what a person could ask it for, and for nothing else. */
export class RuleDesk {
  readonly #options: RuleDeskOptions
  /** When the attempt began that a rule stops. */
  #stopped: string | undefined

  constructor(options: RuleDeskOptions) {
    this.#options = options
  }

  /** It is told before it has an effect. A hold holds also when its codon has ended meanwhile; a stop comes too late then. */
  obey(deed: RuleDeed): void {
    const { journal, desk, hands } = this.#options
    const isThere = hands.activity() === 'codon' && isStillThere(deed, hands.state())
    journal.append('rule.fired', firedData(deed, isThere))
    if (deed.do === 'notify' || (deed.do === 'stop' && !isThere)) return
    const { ruleId, message = `Rule ${ruleId} was met.` } = deed
    desk.arm(undefined, { by: { via: 'rule', ruleId }, message })
    if (deed.do === 'hold') return
    this.#stopped = deed.startTime
    hands.stop({ kind: 'force-stop', reason: `rule ${ruleId}` })
  }

  /** After a codon that was stopped: whether the run waits at the hold of the rule that stopped it. */
  async waits(): Promise<boolean> {
    const { plan, desk, hands } = this.#options
    const next = this.#isStopped() ? nextStep(plan, hands.state())?.at : undefined
    if (!next || desk.move(next).kind === 'pass') return false
    await hands.passes(next)
    return true
  }

  /** What it means to go on after such a hold: the codon that was stopped is passed over. */
  next(): Attempt | undefined {
    const { plan, hands } = this.#options
    const next = this.#isStopped() ? nextStep(plan, hands.state()) : undefined
    return next && { ...next, attempt: attemptAt(hands.state(), next.at), gated: true }
  }

  #isStopped(): boolean {
    return (
      this.#stopped !== undefined && lastAttempt(this.#options.hands.state())?.startTime === this.#stopped
    )
  }
}

function lastAttempt(state: WeaveState) {
  return currentRun(state)?.codons.at(-1)
}

function isStillThere({ codonId, startTime }: RuleDeed, state: WeaveState): boolean {
  const last = lastAttempt(state)
  return last?.codonId === codonId && last.startTime === startTime
}

function firedData(deed: RuleDeed, isThere: boolean): EventData<'rule.fired'> {
  const { ruleId, codonId, hits, evidence } = deed
  const isLate = deed.do === 'stop' && !isThere
  return { ruleId, codonId, do: deed.do, hits, evidence: [...evidence], ...(isLate && { late: true }) }
}
