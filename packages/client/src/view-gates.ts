import type { EventData, ServerEvent } from '@weave/protocol'
import { appended } from './ring.ts'

/** A gate at which the run waited, or waits, or a hold that it has not come to. */
export interface GateView {
  /** Of the `gate.waiting`, for `gate.decide`; absent: a hold that the run has not come to. */
  readonly seq?: number
  readonly gateId: string
  readonly time: string
  readonly asked?: EventData<'gate.waiting'>
  readonly armed?: EventData<'gate.armed'>
  /** Absent: it is open. */
  readonly decided?: EventData<'gate.decided'>
}

const mostGates = 100

/** The gates after one more event; the same list when it says nothing of them. */
export function reduceGates(gates: readonly GateView[], event: ServerEvent): readonly GateView[] {
  const { type, data, timestamp: time, seq = 0 } = event
  switch (type) {
    case 'gate.armed':
      return appended(gates, { gateId: data.gateId, time, armed: data }, mostGates)
    case 'gate.waiting': {
      const left = gates.filter(gate => gate.decided || gate.gateId !== data.gateId)
      return appended(left, { seq, gateId: data.gateId, time, asked: data }, mostGates)
    }
    case 'gate.decided': {
      const at = gates.findLastIndex(
        gate => gate.gateId === data.gateId && (data.waitingSeq === 0 || gate.seq === data.waitingSeq),
      )
      const known = gates[at]
      return known ? gates.with(at, { ...known, decided: data }) : gates
    }
    default:
      return gates
  }
}

/** The question that is open now. */
export function openGate({ gates }: { readonly gates: readonly GateView[] }): GateView | undefined {
  return gates.findLast(gate => gate.asked && !gate.decided)
}
