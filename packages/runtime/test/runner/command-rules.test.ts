import { type CommandType, commandTypes } from '@weave/protocol'
import { expect, test } from 'vitest'
import { type Activity, admit, isSteering } from '../../src/runner/command-rules.ts'

type Answer = 'yes' | Exclude<ReturnType<typeof admit>, undefined>

/**
 * Every command in every activity. `idle` has four answers: a next codon and a history, only a next codon, only a
 * history, neither. In the other activities these facts change nothing.
 */
type Row = readonly [
  idle: readonly [Answer, Answer, Answer, Answer],
  codon: Answer,
  waiting: Answer,
  rollback: Answer,
  shuttingDown: Answer,
]

const always = ['yes', 'yes', 'yes', 'yes'] as const
const none = ['NO_CODON_RUNNING', 'NO_CODON_RUNNING', 'NO_CODON_RUNNING', 'NO_CODON_RUNNING'] as const
const busy = 'CODON_ALREADY_RUNNING'
const rolling = 'ROLLBACK_IN_PROGRESS'
const down = 'SHUTTING_DOWN'

const table: Readonly<Record<CommandType, Row>> = {
  'codon.start': [always, busy, busy, rolling, down],
  'codon.next': [['yes', 'yes', 'NO_NEXT_CODON', 'NO_NEXT_CODON'], busy, busy, rolling, down],
  'codon.redo': [['yes', 'NOTHING_TO_REDO', 'yes', 'NOTHING_TO_REDO'], busy, busy, rolling, down],
  'codon.skip': [none, 'yes', 'yes', rolling, down],
  'codon.forceStop': [none, 'yes', 'yes', rolling, down],
  'rollback.toCheckpoint': [always, 'yes', 'yes', rolling, down],
  'rollback.toCodon': [always, 'yes', 'yes', rolling, down],
  'rollback.toLastSuccess': [always, 'yes', 'yes', rolling, down],
  'checkpoint.list': [always, 'yes', 'yes', 'yes', down],
  'server.shutdown': [always, 'yes', 'yes', 'yes', down],
  ping: [always, 'yes', 'yes', 'yes', down],
  'ping.broadcast': [always, 'yes', 'yes', 'yes', down],
  'history.sync': [always, 'yes', 'yes', 'yes', down],
  'events.select': [always, 'yes', 'yes', 'yes', down],
  'gate.decide': [always, 'yes', 'yes', rolling, down],
  'gate.hold': [always, 'yes', 'yes', rolling, down],
  'gate.release': [always, 'yes', 'yes', rolling, down],
}

const facts = [
  { hasNext: true, hasHistory: true },
  { hasNext: true, hasHistory: false },
  { hasNext: false, hasHistory: true },
  { hasNext: false, hasHistory: false },
] as const

const answer = (type: CommandType, activity: Activity, at: number): Answer =>
  admit(type, { activity, ...(facts[at] ?? facts[0]) }) ?? 'yes'

test.each(commandTypes)('%s', type => {
  const [idle, codon, waiting, rollback, shuttingDown] = table[type]
  const given = (activity: Activity) => facts.map((_, at) => answer(type, activity, at))
  expect(given('idle')).toEqual(idle)
  expect(given('codon')).toEqual(Array(4).fill(codon))
  expect(given('waiting')).toEqual(Array(4).fill(waiting))
  expect(given('rollback')).toEqual(Array(4).fill(rollback))
  expect(given('shutting-down')).toEqual(Array(4).fill(shuttingDown))
})

test('the steering commands are those that a rollback holds off', () => {
  expect(commandTypes.filter(isSteering).sort()).toEqual([
    'codon.forceStop',
    'codon.next',
    'codon.redo',
    'codon.skip',
    'codon.start',
    'gate.decide',
    'gate.hold',
    'gate.release',
    'rollback.toCheckpoint',
    'rollback.toCodon',
    'rollback.toLastSuccess',
  ])
})
