import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodonExecution, RunState, WeaveState } from '@weave/protocol'
import { emptyState } from '@weave/protocol'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openPlaces } from '../../src/check/rehearsal-places.ts'
import { createRehearsal } from '../../src/model-server/index.ts'
import { request } from '../model-server/served.ts'
import { completed, endedRun, failed, killed, live, runOf, stateOf } from '../runner/states.ts'

/** An execution whose state a test sets, with a rehearsal that is opened as often as a server starts. */
async function execution() {
  const internals = await tempDir()
  let state: WeaveState = emptyState
  const start = async () => {
    const assertHeld = () => undefined
    const places = await openPlaces({ layout: { internals }, state: () => state, assertHeld })
    const rehearsal = createRehearsal({
      strict: true,
      places: () => places,
      script: {
        codons: { '*': ['one', 'two', 'three'].map(say => ({ say })) },
        sentinels: { narrator: ['first', 'second', 'third'] },
      },
    })
    const ask = (key: string) => {
      const answer = rehearsal.respond(request({ key }))
      return answer.kind === 'message' && answer.parts[0]?.kind === 'text'
        ? answer.parts[0].text
        : answer.kind
    }
    return {
      ask: (id: string) => ask(rehearsal.keyFor(id)),
      watch: () => ask(rehearsal.sentinelKeyFor('narrator')),
      leftovers: rehearsal.leftovers,
    }
  }
  const stands = (...runs: readonly RunState[]): void => {
    state = stateOf(...runs)
  }
  return { internals, start, stands }
}

const from = (runId: string, codonId?: string, checkpoint?: string): RunState['startedFrom'] => ({
  type: 'continuation',
  runId,
  ...(codonId !== undefined && { codonId }),
  ...(checkpoint !== undefined && { checkpoint }),
})
const done = (id: string): CodonExecution => completed(id, { checkpoints: { completed: `end of ${id}` } })

verifies(
  ['d14/rehearsal-positions-rollback'],
  'after a rollback every codon and sentinel is where it was at that checkpoint',
  async () => {
    const { start, stands } = await execution()
    const { ask, watch } = await start()
    stands(runOf('r1', [live('a')]))
    expect([ask('a'), ask('a'), watch()]).toEqual(['one', 'two', 'first'])
    stands(runOf('r1', [done('a'), live('b')]))
    expect([ask('b'), watch(), ask('b'), watch()]).toEqual(['one', 'second', 'two', 'third'])
    const first = endedRun(runOf('r1', [done('a'), done('b')]), 'stopped')
    stands(first, runOf('r2', [live('b')], from('r1', 'a', 'end of a')))
    expect([ask('b'), watch(), ask('a')]).toEqual(['one', 'second', 'three'])
    stands(first, endedRun(runOf('r2', [done('b')]), 'stopped'), runOf('r3', [live('a')], from('r1')))
    expect([ask('a'), watch()]).toEqual(['one', 'first'])
  },
)

verifies(
  ['d14/rehearsal-positions-resume', 'd13/steps-go-on-retry'],
  'a start goes on where the codons before it ended; a codon that was cut off begins anew, its next attempt goes on',
  async () => {
    const { start, stands } = await execution()
    const first = await start()
    stands(runOf('r1', [live('a')]))
    expect([first.ask('a'), first.watch()]).toEqual(['one', 'first'])
    stands(runOf('r1', [done('a'), live('b')]))
    expect([first.ask('b'), first.ask('b'), first.watch()]).toEqual(['one', 'two', 'second'])

    const second = await start()
    const cutOff = endedRun(runOf('r1', [done('a'), killed('b')]), 'crashed')
    stands(cutOff, runOf('r2', [live('b')], from('r1', 'a', 'end of a')))
    expect([second.watch(), second.ask('b')]).toEqual(['second', 'one'])
    stands(cutOff, runOf('r2', [failed('b'), { ...live('b'), attempt: 2 }], from('r1', 'a', 'end of a')))
    expect([second.ask('b'), second.ask('a')]).toEqual(['two', 'two'])
  },
)

test('a strict start does not complain about steps that were taken before it', async () => {
  const { start, stands } = await execution()
  const first = await start()
  stands(runOf('r1', [live('a')]))
  for (const said of ['one', 'two', 'three']) expect(first.ask('a')).toBe(said)
  const second = await start()
  expect(second.leftovers()).toEqual([])
  stands(endedRun(runOf('r1', [done('a')]), 'stopped'), runOf('r2', [live('b')], from('r1', 'a')))
  second.ask('b')
  expect(second.leftovers().map(({ message }) => message)).toEqual(['b took 1 of 3 steps'])
})

test('a server that has lost its execution takes no more steps', async () => {
  const internals = await tempDir()
  const assertHeld = () => {
    throw new Error('lost')
  }
  const places = await openPlaces({ layout: { internals }, state: () => emptyState, assertHeld })
  expect(() => places.take('rehearsal-a', 1)).toThrow('lost')
  expect(places.taken('rehearsal-a')).toBe(0)
})

test('half a line that a kill left is passed over, and what comes after it counts', async () => {
  const { internals, start, stands } = await execution()
  const first = await start()
  stands(runOf('r1', [live('a')]))
  first.ask('a')
  appendFileSync(join(internals, 'rehearsal.jsonl'), '\n{"runId":"r1","codo')
  const second = await start()
  expect(second.ask('a')).toBe('two')
  expect((await start()).ask('a')).toBe('three')
})
