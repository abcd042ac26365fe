import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createScene } from '../at-rest/scene.ts'
import { codonPlan } from '../runner/plans.ts'

describe('agents that were made ready', () => {
  verifies(['agents/ready-not-waiting'], 'go when the run waits, and not before', async () => {
    const scene = await createScene([codonPlan('a'), codonPlan('b'), codonPlan('c')], codonId =>
      codonId === 'b' ? [{ hang: true }] : [{ say: 'done' }],
    )
    await scene.run(async ({ send, until, shutdown, releases }) => {
      await until('codon.started', 2)
      expect(releases).toEqual([])
      await send({ type: 'codon.forceStop', data: { reason: 'Not like this.' } })
      await until('server.idle')
      expect(releases).toEqual(['server.idle'])
      shutdown()
    })
  })
})
