import type { Command, DecidedBy, EventData } from '@weave/protocol'
import type { CommandResult, Control } from '../../src/runner/control.ts'

/** A runner that does nothing and remembers what it was asked. */
export interface FakeControl extends Control {
  readonly submitted: readonly Command[]
  /** Who sent each of them. */
  readonly senders: readonly (DecidedBy | undefined)[]
  readonly arrivals: number
  /** What it says to the next commands. */
  answer: (command: Command) => CommandResult | Promise<CommandResult>
  readonly runs: Map<string, EventData<'checkpoint.list'>>
}

export function createFakeControl(): FakeControl {
  const submitted: Command[] = []
  const senders: (DecidedBy | undefined)[] = []
  const runs = new Map<string, EventData<'checkpoint.list'>>()
  let arrivals = 0
  const control: FakeControl = {
    submitted,
    senders,
    runs,
    get arrivals() {
      return arrivals
    },
    answer: () => ({ ok: true }),
    async submit(command, by) {
      submitted.push(command)
      senders.push(by)
      return control.answer(command)
    },
    clientArrived() {
      arrivals++
    },
    snapshot: () => Promise.reject(new Error('nobody asks for this')),
    checkpoints: async runId => runs.get(runId),
  }
  return control
}

/** A promise and its handle. */
export function createGateway<T>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => undefined
  const promise = new Promise<T>(resolve => {
    open = resolve
  })
  return { promise, open }
}
