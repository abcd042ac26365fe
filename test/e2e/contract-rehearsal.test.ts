import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { tempDir } from '../support/temp-dir.ts'
import { traceNetwork } from '../support/traced-network.ts'

const codon = (id: string, more: object) => ({
  id,
  name: id,
  continuationMode: 'fresh',
  promptText: 'Do it.',
  checkpointedFiles: ['*.md'],
  ...more,
})
const long = 'x'.repeat(20_000)

/** A rehearsal with both SDKs, and every address that one of its processes connects to. */
async function rehearse() {
  const cwd = await tempDir()
  const hank = [
    codon('sdk', { model: 'sonnet' }),
    codon('embedded', { model: 'openai/gpt-5', exhaustWithPrompt: 'More.', maxExtensions: 2 }),
  ]
  const prints = { use: 'bash', input: { command: "printf 'x%.0s' $(seq 20000)" } }
  const codons = {
    sdk: [{ say: 'Done.' }],
    embedded: [prints, { say: 'First.' }, { say: 'Second.' }, { say: 'Third.' }],
  }
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  writeFileSync(join(cwd, 'rehearsal.json'), JSON.stringify({ codons }))
  const run = await traceNetwork({ cwd, env: {}, words: ['rehearse', '--strict', '--json'] })
  const events = run.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { readonly type: string; readonly data: Record<string, unknown> })
  const base = join(cwd, 'home/.weave-executions')
  const execution = join(base, readdirSync(base)[0] ?? '')
  return { ...run, events, execution }
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
