import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder, jsonLines } from '../support/hank-folder.ts'
import { traceNetwork } from '../support/traced-network.ts'

const long = 'x'.repeat(20_000)

/** A rehearsal with both SDKs, and every address that one of its processes connects to. */
async function rehearse() {
  const hank = [
    codon('sdk'),
    codon('embedded', { model: 'openai/gpt-5', exhaustWithPrompt: 'More.', maxExtensions: 2 }),
  ]
  const prints = bash("printf 'x%.0s' $(seq 20000)")
  const codons = {
    sdk: [{ say: 'Done.' }],
    embedded: [prints, { say: 'First.' }, { say: 'Second.' }, { say: 'Third.' }],
  }
  const at = await hankFolder(hank, { 'rehearsal.json': { codons } })
  const run = await traceNetwork({ ...at, words: ['rehearse', '--strict', '--json'] })
  return { ...run, events: jsonLines(run.stdout), execution: at.execution() }
}

verifies(
  ['d13/steps-go-on-exhaust', 'd13/all-endpoints-local', 'd5/tool-result-full-in-log', '6/no-webhooks'],
  'a rehearsal goes on in its steps over extensions, keeps what was cut, and asks nobody outside',
  async () => {
    const { status, stderr, events, execution, own, foreign } = await rehearse()
    expect(status, stderr).toBe(0)
    const said = events.flatMap(({ type, data }) =>
      type === 'assistant.action' && data['codonId'] === 'embedded' && data['action'] === 'message'
        ? [data['content']]
        : [],
    )
    expect(said).toEqual(['First.', 'Second.', 'Third.'])

    const result = events.find(({ type }) => type === 'tool.result')
    expect(result?.data).toMatchObject({ truncated: true, originalLength: expect.any(Number) })
    const sessions = join(execution, '.weave/sessions')
    const [run = ''] = readdirSync(sessions)
    expect(readFileSync(join(sessions, run, 'embedded.jsonl'), 'utf8')).toContain(long)

    expect(own).toBeGreaterThan(2)
    expect(foreign).toEqual([])
  },
  120_000,
)
