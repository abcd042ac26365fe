import type { CommandType, ErrorCode } from '@weave/protocol'

/** What the runner is doing. `waiting`: for the moment of the next attempt. */
export type Activity = 'idle' | 'codon' | 'waiting' | 'rollback' | 'shutting-down'

/** What a command's fate depends on. */
export interface Situation {
  readonly activity: Activity
  /** Whether the plan has a codon after the last one. */
  readonly hasNext: boolean
  /** Whether a codon has ended that could be run again. */
  readonly hasHistory: boolean
}

/** The commands that change what runs. The others are answered at any time. */
export type SteeringType = Exclude<
  CommandType,
  'checkpoint.list' | 'events.select' | 'history.sync' | 'ping' | 'ping.broadcast' | 'server.shutdown'
>

export function isSteering(type: CommandType): type is SteeringType {
  return /^(codon|rollback|gate)\./.test(type)
}

/** May this command act now? Undefined: yes. Pure. */
export function admit(
  type: CommandType,
  { activity, hasNext, hasHistory }: Situation,
): ErrorCode | undefined {
  if (activity === 'shutting-down') return 'SHUTTING_DOWN'
  if (!isSteering(type)) return undefined
  if (activity === 'rollback') return 'ROLLBACK_IN_PROGRESS'
  const busy = activity === 'codon' || activity === 'waiting'
  return rules[type]({ busy, hasNext, hasHistory })
}

interface Facts {
  readonly busy: boolean
  readonly hasNext: boolean
  readonly hasHistory: boolean
}

const whenIdle = ({ busy }: Facts): ErrorCode | undefined => (busy ? 'CODON_ALREADY_RUNNING' : undefined)
const whenBusy = ({ busy }: Facts): ErrorCode | undefined => (busy ? undefined : 'NO_CODON_RUNNING')
/** A rollback stops the running codon first. */
const always = (): undefined => undefined

const rules: Readonly<Record<SteeringType, (facts: Facts) => ErrorCode | undefined>> = {
  'codon.start': whenIdle,
  'codon.next': facts => whenIdle(facts) ?? (facts.hasNext ? undefined : 'NO_NEXT_CODON'),
  'codon.redo': facts => whenIdle(facts) ?? (facts.hasHistory ? undefined : 'NOTHING_TO_REDO'),
  'codon.skip': whenBusy,
  'codon.forceStop': whenBusy,
  'rollback.toCheckpoint': always,
  'rollback.toCodon': always,
  'rollback.toLastSuccess': always,
  'gate.decide': always,
  'gate.hold': always,
  'gate.release': always,
}
