import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { sentinelAttachment } from '../../src/hank/schema.ts'
import { event } from '../sentinel/observed-events.ts'
import { attachment, fails, fakeModel, type Scene, says, scene, untilStopped } from '../sentinel/scene.ts'
import { codonPlan, planOf } from './plans.ts'
import { type ScenarioOptions, startScenario } from './scenario.ts'

/** A run whose codon has the sentinels of a scene; each sees one event. */
function watchedBy({ sentinels }: Scene, plan: ScenarioOptions['plan']) {
  return startScenario({
    plan,
    effects: {
      loadSentinels: async ({ runtimeId, codon }, { startTime }) => {
        const { id: codonId, name } = codon
        const loaded = await sentinels.load({ id: runtimeId, codonId, name, startTime })
        if (!loaded.ok) return loaded
        loaded.attached.route(event('info'))
        return { ok: true, finish: loaded.attached.finish }
      },
    },
  })
}

describe('a codon with sentinels', () => {
  verifies(
    ['d10/end-waits'],
    'waits for them at its end, as completing-sentinels, for a minute at the longest',
    async () => {
      const model = fakeModel((request, index) => (index === 0 ? says('ok') : untilStopped(request)))
      const here = await scene([attachment()], { model })
      const run = await watchedBy(here, planOf(codonPlan('draft')))
      await run.until('state.transition', ({ data }) => JSON.stringify(data).includes('completing-sentinels'))
      await model.asked(2)
      await here.clock.untilSleepers(1)
      await here.clock.advance(59_999)
      expect(run.codons()).toEqual(['draft:completing-sentinels'])
      await here.clock.advance(1)
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(run.codons()).toEqual(['draft:completed'])
    },
  )

  const needed = { settings: { failCodonIfNotLoaded: true } }
  const unwell = () => fakeModel(() => fails('Status 404: no such model', { status: 404, retriable: false }))
  const retrying = codonPlan('draft', { onFailure: 'retry' })

  verifies(
    ['d10/health-check-fails-codon', 'd8/final-sentinel-load'],
    'that cannot do without one whose model is not well fails before its agent begins, and is not tried again',
    async () => {
      const here = await scene([attachment({}, needed)], { model: unwell() })
      const run = await watchedBy(here, planOf(retrying))
      expect((await run.runner.done).status).toBe('failed')
      expect(run.told('codon.completed')).toMatchObject([
        {
          success: false,
          failureReason: { type: 'sentinel-load-failure', retriable: false, sentinelRefs: ['narrator'] },
        },
      ])
      expect(run.told('codon.retrying')).toEqual([])
      expect(run.specs).toEqual([])
    },
  )

  verifies(['2.5/fail-codon-false', '2.5/fail-codon-default'], 'does without one by default', async () => {
    const attached = (failCodonIfNotLoaded: unknown) =>
      sentinelAttachment.safeParse({ sentinelConfig: 's.json', settings: { failCodonIfNotLoaded } }).success
    expect([true, false, 'yes'].map(attached)).toEqual([true, true, false])
    const here = await scene([attachment()], { model: unwell() })
    const run = await watchedBy(here, planOf(retrying))
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(here.warnings).toHaveLength(1)
    expect(run.specs).toHaveLength(1)
  })
})
