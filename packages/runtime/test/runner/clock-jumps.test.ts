import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { ledgerOf } from '../../src/budget/index.ts'
import { type Clock, createAsyncQueue } from '../../src/kit/index.ts'
import { codonPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

const hour = 3_600_000
const waits = [{ type: 'command', command: { run: 'true' } }] as const

describe('a wall clock that jumps by hours', () => {
  for (const jump of [5 * hour, -8 * hour])
    verifies(
      ['safety/I19'],
      `${jump > 0 ? 'forward' : 'back'} ends nothing early, and makes no time negative or too long`,
      async () => {
        const rigs = createAsyncQueue<'asleep' | 'awake'>()
        const clocks = createAsyncQueue<Clock>()
        const scenario = await startScenario({
          plan: planOf(codonPlan('a', { rig: waits }), codonPlan('b', { rig: waits })),
          effects: {
            async runRig() {
              const slept = (await clocks.take())?.sleep(20_000)
              rigs.put('asleep')
              await slept
              rigs.put('awake')
              return { ok: true }
            },
          },
        })
        for (const _ of ['a', 'b']) {
          clocks.put(scenario.clock)
          expect(await rigs.take()).toBe('asleep')
          await scenario.clock.advance(10_000)
          scenario.clock.jumpWall(jump)
          await scenario.clock.advance(9_999)
          expect(rigs.size).toBe(0)
          await scenario.clock.advance(1)
          expect(await rigs.take()).toBe('awake')
        }
        await scenario.runner.done
        const { total, items } = ledgerOf(scenario.recorder.state)
        expect([total, items.get('a'), items.get('b')].map(spend => spend?.seconds)).toEqual([40, 20, 20])
        const durations = scenario.events.flatMap(({ type, data }) =>
          type === 'codon.completed' && 'duration' in data ? [data.duration] : [],
        )
        expect(durations).toEqual([20_000, 20_000])
        const seqs = scenario.events.map(({ seq }) => seq)
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
        tally('jumps of the clock', 2)
      },
    )
})
