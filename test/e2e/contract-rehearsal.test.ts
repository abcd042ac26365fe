import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { launcher } from '../support/run-cli.ts'
import { tempDir } from '../support/temp-dir.ts'

const codon = (id: string, more: object) => ({
  id,
  name: id,
  continuationMode: 'fresh',
  promptText: 'Do it.',
  checkpointedFiles: ['*.md'],
  ...more,
})
const long = 'x'.repeat(20_000)

const loopback = /inet_addr\("127\.|inet_pton\(AF_INET6, "(?:::1"|::ffff:127\.)/
/** Names are asked for there; the name of a loopback address may be. */
const nameServer = 'htons(53)'
/** How a question for a name begins, as strace prints it. */
const question = String.raw`\1\0\0\1\0\0\0\0`

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
  const trace = join(cwd, 'trace.txt')
  const options = [
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-s',
    '200',
    '-e',
    'trace=connect,sendto,sendmmsg',
    '-o',
    trace,
  ]
  const words = [process.execPath, launcher, 'rehearse', '--strict', '--json']
  const { status, stdout, stderr } = spawnSync('strace', [...options, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: join(cwd, 'home') },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const events = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { readonly type: string; readonly data: Record<string, unknown> })
  const base = join(cwd, 'home/.weave-executions')
  const execution = join(base, readdirSync(base)[0] ?? '')
  return { status, stderr, events, execution, connects: readFileSync(trace, 'utf8') }
}

verifies(
  ['d13/steps-go-on-exhaust', 'd13/all-endpoints-local', 'd5/tool-result-full-in-log', '6/no-webhooks'],
  'a rehearsal goes on in its steps over extensions, keeps what was cut, and asks nobody outside',
  async () => {
    const { status, stderr, events, execution, connects } = await rehearse()
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

    const lines = connects.split('\n')
    const addresses = lines.filter(line => /inet_addr|inet_pton/.test(line) && line.includes('connect('))
    expect(addresses.length).toBeGreaterThan(2)
    const outside = addresses.filter(line => !loopback.test(line) && !line.includes(nameServer))
    expect(outside).toEqual([])
    const questions = lines.filter(line => /send(?:to|mmsg)\(/.test(line) && line.includes(question))
    expect(questions.filter(line => !line.includes('arpa'))).toEqual([])
  },
  60_000,
)
