import { beforeAll, expect, test } from 'vitest'
import { codon, hankFolder, rig } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { record } from './transcript.ts'

beforeAll(scriptedWeave, 120_000)

/** Fails once, and then never again: the file it leaves is not one of those that go back to their checkpoint. */
const unsteady = {
  onFailure: 'retry',
  retryConfig: { maxAttempts: 2, delayMs: 500 },
  ...rig('test -e tried || { touch tried; exit 1; }'),
}

test('the run on the page about the protocol is what a server says today; `vitest -u` records it anew', async () => {
  const model = 'claude-sonnet-4-6'
  const part = (id: string, fields: object = {}) => codon(id, { name: `Part ${id}`, model, ...fields })
  const at = await hankFolder([part('draft'), part('review', unsteady)])
  const transcript = await record(await at.serve())
  await expect(transcript).toMatchFileSnapshot('../../scripts/generate/transcript.txt')
}, 60_000)
