import { beforeAll, test } from 'vitest'
import { followPage } from '../support/followed-page.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

test('the tutorial can be followed literally, and everything is printed as it says', async () => {
  await followPage('docs/tutorial.md', { base: await tempDir(), least: 12 })
}, 180_000)
