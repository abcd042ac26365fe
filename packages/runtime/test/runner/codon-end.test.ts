import type { JournaledEvent } from '@weave/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { FlatEffects } from './bare-effects.ts'
import { codonPlan, planOf } from './plans.ts'
import { openScenario } from './scenario.ts'

/** A promise and the way to end it. */
function createGate() {
  let open = (): void => undefined
  let fail = (_error: Error): void => undefined
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { passed, open, fail }
}

const isCheckpoint = (event: JournaledEvent): boolean =>
  event.type === 'state.transition' && event.data.transitionType === 'CheckpointCreated'

describe('at the end of a codon', () => {
  /** Both looks at the workspace wait for their gate. */
  async function ending() {
    const settle = createGate()
    const keep = createGate()
    const begun: string[] = []
    const bothBegun = createGate()
    const begin = (name: string): void => {
      begun.push(name)
      if (begun.length === 2) bothBegun.open()
    }
    const effects: Partial<FlatEffects> = {
      settleFiles: async () => {
        begin('settle')
        await settle.passed
        run.journal.append('file.updated', { path: 'x', filename: 'x', content: '', action: 'created' })
      },
      checkpoint: async () => {
        begin('checkpoint')
        await keep.passed
        return 'abcd'
      },
    }
    const dir = await tempDir({ inMemory: true })
    const run = await openScenario({ plan: planOf(codonPlan('a')), effects }, dir)
    onTestFinished(() => run.journal.close())
    await bothBegun.passed
    return { run, settle, keep }
  }

  test('files are looked at once for both: changes are told before the checkpoint, whichever is quicker', async () => {
    const { run, settle, keep } = await ending()
    keep.open()
    await new Promise(resolve => setImmediate(resolve))
    expect(run.events.some(isCheckpoint)).toBe(false)
    settle.open()
    expect(await run.runner.done).toEqual({ status: 'completed' })
    const told = run.events.findIndex(({ type }) => type === 'file.updated')
    expect(told).toBeGreaterThan(0)
    expect(told).toBeLessThan(run.events.findIndex(isCheckpoint))
    expect(run.events.findIndex(isCheckpoint)).toBeLessThan(
      run.events.findIndex(({ type }) => type === 'codon.completed'),
    )
  })

  test.each(['settle', 'keep'] as const)(
    'a failure of one waits for the end of the other: %s',
    async failing => {
      const gates = await ending()
      const other = failing === 'settle' ? gates.keep : gates.settle
      let isOver = false
      const done = gates.run.runner.done.then(end => {
        isOver = true
        return end
      })
      gates[failing].fail(new Error('The disk is full.'))
      await new Promise(resolve => setImmediate(resolve))
      expect(isOver).toBe(false)
      other.open()
      expect(await done).toEqual({ status: 'failed', reason: 'The disk is full.' })
      expect(gates.run.events.some(isCheckpoint)).toBe(false)
    },
  )
})
