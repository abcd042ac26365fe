import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { assertSample } from '../../../../test/support/sampled.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { deeds, plans, scripts } from './arbitraries.ts'
import { playStory, type Story } from './steered.ts'

async function holds(stories: fc.Arbitrary<Story>, whole: number): Promise<void> {
  const base = await tempDir({ inMemory: true })
  let number = 0
  const told = await assertSample(
    fc.asyncProperty(stories, async story => {
      const dir = join(base, `${number++}`)
      await playStory(story, dir)
      await rm(dir, { recursive: true, force: true })
    }),
    { whole, atLeast: 20, plugins: [fc.timeout(10_000)] },
  )
  tally('stories of three clients', told)
}

const story = (headless: boolean, autostart: boolean): fc.Arbitrary<Story> =>
  fc.record({
    plan: plans,
    scripts,
    deeds,
    headless: fc.constant(headless),
    autostart: fc.constant(autostart),
  })

describe('three clients, any plan, any agent: the runner does what the model says', () => {
  verifies(['safety/I17'], 'with a person who looks on', () => holds(story(false, true), 700), 180_000)
  verifies(['safety/I17'], 'step by step', () => holds(story(false, false), 500), 180_000)
  verifies(['safety/I17'], 'alone', () => holds(story(true, true), 500), 180_000)
  verifies(['safety/I17'], 'alone, but step by step', () => holds(story(true, false), 300), 180_000)
})
