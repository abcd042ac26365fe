import { describe, expectTypeOf, test } from 'vitest'
import type {
  Command,
  CommandData,
  CommandInput,
  DirectEvent,
  DirectType,
  EventData,
  EventType,
  ExtensionType,
  JournaledEvent,
  JournaledType,
  LiveCodon,
  ProcessExit,
  RunState,
  ServerEvent,
  Transition,
  TransitionData,
  WeaveState,
} from '../src/index.ts'

/** What the compiler refuses. The checks run in `tsc`; here they only have to be well-typed. */

describe('what is journaled and what is sent to one client', () => {
  test('a pong cannot be journaled', () => {
    expectTypeOf<'pong'>().not.toExtend<JournaledType>()
    // @ts-expect-error connection events never reach the journal
    const type: JournaledType = 'pong'
    expectTypeOf(type).toBeString()
  })

  test('the connection events and what is under way are never journaled', () => {
    type Connection = 'server.ready' | 'pong' | 'history.batch' | 'incomplete.codon' | 'events.selected'
    expectTypeOf<Exclude<EventType, JournaledType>>().toEqualTypeOf<Connection | 'run.activity'>()
    expectTypeOf<DirectType>().toEqualTypeOf<Connection | 'error' | 'run.activity'>()
  })

  test('an info cannot be sent to one client only', () => {
    // @ts-expect-error a server state event goes through the journal
    const type: DirectType = 'info'
    expectTypeOf(type).toBeString()
    expectTypeOf<DirectEvent['type']>().toEqualTypeOf<DirectType>()
  })

  test('an error may go either way', () => {
    expectTypeOf<'error'>().toExtend<JournaledType & DirectType>()
  })

  test('a journaled event has its seq', () => {
    expectTypeOf<JournaledEvent['seq']>().toEqualTypeOf<number>()
    expectTypeOf<ServerEvent['seq']>().toEqualTypeOf<number | undefined>()
  })

  test('there are these extension types', () => {
    expectTypeOf<ExtensionType>().toEqualTypeOf<
      | 'run.started'
      | 'run.completed'
      | 'rig.output'
      | 'rig.operation'
      | 'loop.iteration.completed'
      | 'codon.extended'
      | 'codon.retrying'
      | 'run.parked'
      | 'run.activity'
      | 'events.selected'
      | 'archive.completed'
      | 'outputs.copied'
      | 'budget.exceeded'
      | 'preflight.result'
      | 'gate.armed'
      | 'gate.waiting'
      | 'gate.decided'
      | 'rule.fired'
      | 'fleet.turn'
      | 'fleet.published'
      | 'fleet.waiting'
      | 'fleet.rest'
      | 'fleet.lost'
    >()
  })
})

describe('events', () => {
  test('a switch over the type narrows the data', () => {
    const read = (event: ServerEvent): string => {
      switch (event.type) {
        case 'codon.completed':
          expectTypeOf(event.data).toEqualTypeOf<EventData<'codon.completed'>>()
          expectTypeOf(event.data.exitStatus).toEqualTypeOf<ProcessExit>()
          return String(event.data.cost)
        case 'info':
          // @ts-expect-error an info has no cost
          return event.data.cost
        default:
          expectTypeOf(event.type).toEqualTypeOf<Exclude<EventType, 'codon.completed' | 'info'>>()
          return event.id
      }
    }
    expectTypeOf(read).returns.toBeString()
  })

  test('an event cannot be edited', () => {
    const edit = (event: ServerEvent<'checkpoint.list'>) => {
      // @ts-expect-error data is read-only
      event.data.runId = 'r2'
      // @ts-expect-error lists are read-only
      event.data.checkpoints.push()
    }
    expectTypeOf(edit).toBeFunction()
  })
})

describe('commands', () => {
  test('a client may leave out what has a default, the server always has it', () => {
    const input: CommandInput<'codon.start'> = { codonId: 'draft' }
    expectTypeOf(input.skipPreCommands).toEqualTypeOf<boolean | undefined>()
    expectTypeOf<CommandData<'codon.start'>['skipPreCommands']>().toEqualTypeOf<boolean>()
    // @ts-expect-error the codon must be named
    const nameless: CommandInput<'codon.start'> = {}
    expectTypeOf(nameless).toBeObject()
  })

  test('a switch over the type narrows the data', () => {
    const read = (command: Command) => {
      if (command.type === 'rollback.toCodon') {
        expectTypeOf(command.data.checkpointType).toEqualTypeOf<
          'rig-setup' | 'completed' | 'error' | 'skipped' | 'start' | 'end'
        >()
      }
      // @ts-expect-error not every command names a codon
      return command.data.codonId
    }
    expectTypeOf(read).toBeFunction()
  })
})

describe('states and transitions', () => {
  test('a live codon has no end, and only a running one surely has a session', () => {
    expectTypeOf<LiveCodon>().not.toHaveProperty('endTime')
    expectTypeOf<Extract<LiveCodon, { status: 'running' }>['sessionId']>().toEqualTypeOf<string>()
    expectTypeOf<Extract<RunState, { status: 'running' }>>().not.toHaveProperty('endTime')
  })

  test('a codon cannot fail without a reason', () => {
    const exitStatus = { type: 'success' } as const
    // @ts-expect-error failureReason is missing
    const end: TransitionData<'CodonTransitioned'> = { codonId: 'a', to: 'failed', endTime: '', exitStatus }
    expectTypeOf(end).toBeObject()
  })

  test('no transition leads back to preparing', () => {
    expectTypeOf<'preparing'>().not.toExtend<TransitionData<'CodonTransitioned'>['to']>()
  })

  test('a transition carries the data of its type', () => {
    // @ts-expect-error a run id alone starts no codon
    const transition: Transition = { type: 'CodonStarted', data: { runId: 'r1' } }
    expectTypeOf(transition).toBeObject()
  })

  test('a state cannot be edited', () => {
    const edit = (state: WeaveState) => {
      // @ts-expect-error a state is read-only
      state.totalCost = 0
      // @ts-expect-error runs are read-only
      state.runs.pop()
    }
    expectTypeOf(edit).toBeFunction()
  })
})
