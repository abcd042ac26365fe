import { beforeAll, expect, test } from 'vitest'
import { scriptedWeave } from '../support/scripted-program.ts'
import { codonOf, serveHank } from './served-hank.ts'
import { record } from './transcript.ts'

beforeAll(scriptedWeave, 120_000)

/** Fails once, and then never again: the file it leaves is not one of those that go back to their checkpoint. */
const unsteady = {
  onFailure: 'retry',
  retryConfig: { maxAttempts: 2, delayMs: 500 },
  rigSetup: [{ type: 'command', command: { run: 'test -e tried || { touch tried; exit 1; }' } }],
}

test('the run on the page about the protocol is what a server says today; `vitest -u` records it anew', async () => {
  const model = 'claude-sonnet-4-6'
  const served = await serveHank([codonOf('draft', { model }), codonOf('review', { model, ...unsteady })])
  const transcript = await record(served)
  await expect(transcript).toMatchFileSnapshot('../../scripts/generate/transcript.txt')
}, 60_000)
