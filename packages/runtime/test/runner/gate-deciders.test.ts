import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { quiet } from './gate-story.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { openScenario } from './scenario.ts'

const pairs = isProof ? 1_000 : 60

verifies(
  ['gates/first-wins'],
  'of two who decide at once one does, and the other is told who it was',
  async () => {
    const plan = { ...planOf(loopPlan('l', pairs, [codonPlan('x')])), gates: [{ id: 'g', before: 'x' }] }
    const run = await openScenario({ plan, headless: true }, await tempDir({ inMemory: true }))
    let told = 0
    let before = 0
    for (let pair = 0; pair < pairs; pair++) {
      await quiet(run)
      const seq = run.events.findLast(({ type }) => type === 'gate.waiting')?.seq ?? 0
      // Who comes with a question of before, while another is open.
      const late = { id: `c${pair}`, type: 'gate.decide', data: { seq: before, decision: 'reject' } } as const
      if (before > 0)
        expect(await run.runner.submit(late, { via: 'cli' })).toMatchObject({ code: 'GATE_DECIDED' })
      before = seq
      const second = pair % 2 === 0 ? 'approve' : 'reject'
      const answers = await Promise.all([
        run.runner.submit(
          { id: `a${pair}`, type: 'gate.decide', data: { seq, decision: 'approve' } },
          { via: 'cli', user: 'ana' },
        ),
        run.runner.submit(
          { id: `b${pair}`, type: 'gate.decide', data: { seq, decision: second } },
          { via: 'web', user: 'ben' },
        ),
      ])
      expect(answers[0]).toEqual({ ok: true })
      expect(answers[1]).toMatchObject({ ok: false, code: 'GATE_DECIDED' })
      expect(answers[1]?.ok === false && answers[1].message).toMatch(/^Approved by ana at \d\d:\d\d\.$/)
      told++
    }
    await quiet(run)
    const decided = run.told('gate.decided')
    expect(decided).toHaveLength(pairs)
    expect(new Set(decided.map(({ waitingSeq }) => waitingSeq)).size).toBe(pairs)
    // Not after the test, where there is less time: every invariant is checked over all of it.
    await run.close()
    tally('pairs of deciders', told)
  },
  isProof ? 600_000 : 60_000,
)
