import { parseTransition, reduce, summarize, type Transition, type WeaveState } from '@weave/protocol'
import type { AppendOptions, Journal } from '../journal/index.ts'
import type { Redactor } from '../kit/index.ts'

/**
 * THE ONLY WRITER of state. `record` is synchronous: the transition is reduced, written, synced and emitted before it
 * returns. It is reduced in the very form in which it is written (secrets out, keys in the schema's order), so that
 * folding the journal gives the live state, byte for byte.
 */
export interface Recorder {
  /** Throws on a transition that the state refuses: that is a fault of the caller, and nothing was written. */
  record(transition: Transition, options?: RecordOptions): WeaveState
  readonly state: WeaveState
}

export type RecordOptions = Pick<AppendOptions, 'origin'>

export function createRecorder(journal: Journal, redactor: Redactor, initial: WeaveState): Recorder {
  let state = initial
  return {
    record(given, options) {
      const transition = asWritten(given, redactor)
      const reduction = reduce(state, transition)
      if (!reduction.ok) throw new Error(`illegal ${given.type}: ${reduction.reason}`)
      const { type, data } = transition
      const event = {
        transitionType: type,
        ...('runId' in data ? { runId: data.runId } : {}),
        ...('codonId' in data && data.codonId !== undefined ? { codonId: data.codonId } : {}),
        transition: { type, data },
        resultingState: summarize(reduction.state),
      }
      journal.append('state.transition', event, options)
      state = reduction.state
      return state
    },
    get state() {
      return state
    },
  }
}

function asWritten({ type, data }: Transition, redactor: Redactor): Transition {
  const transition = parseTransition({ type, data: redactor.json(plain(data)) })
  if ('problem' in transition) throw new Error(`malformed ${type}: ${transition.problem}`)
  return transition
}

/** What a reader of the journal will get: without the keys whose value is undefined. */
function plain(data: object): unknown {
  return JSON.parse(JSON.stringify(data))
}
