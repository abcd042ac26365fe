import { cpSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { expectWholeExport, orphans } from '../support/decoded-otlp.ts'
import { codon, command, type HankFolder, hankFolder, jsonLines } from '../support/hank-folder.ts'
import { attributesOf, type OtlpSpan, otlpCollector, spansIn } from '../support/otlp-collector.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const secret = 'canary-0123456789-secret'
const key = 'collector-key-9876543210'

/** Two codons with a rig, an output and a secret in what they are asked. */
function place(): Promise<HankFolder> {
  const rigSetup = [command('echo ready; printenv TRACEPARENT; true')]
  const checked = { outputFiles: [{ copy: ['*.md'], beforeCopy: [command('printenv TRACEPARENT; true')] }] }
  return hankFolder([
    codon('draft', { rigSetup, promptText: `Say ${secret} twice.` }),
    codon('review', checked),
  ])
}

function exported(at: HankFolder, ...words: readonly string[]): readonly OtlpSpan[] {
  const { status, stderr } = at.weave('export', '--otlp', '--file', 'spans.jsonl', ...words)
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('journal')])
  return spansIn(readFileSync(at.path('spans.jsonl'), 'utf8'))
}

function ids(spans: readonly OtlpSpan[]): readonly string[] {
  return spans.map(({ spanId }) => spanId)
}

describe('weave export --otlp', () => {
  verifies(
    [
      'otel/export-file',
      'otel/ids',
      'otel/execution-id',
      'otel/secrets',
      'otel/content-none',
      'otel/content-levels',
    ],
    'writes a file with the same bytes each time, also of an execution that was moved, and without secrets',
    async () => {
      const at = (await place()).with({ MY_API_KEY: secret })
      expect((await at.scripted('--headless')).status).toBe(0)
      const spans = exported(at)
      expect(spans.map(({ name }) => name.split(' ')[0])).toEqual(
        expect.arrayContaining(['invoke_workflow', 'invoke_agent', 'chat', 'weave.rig', 'weave.rig.command']),
      )
      expect(orphans(spans)).toEqual([])
      expect(statSync(at.path('spans.jsonl')).mode & 0o077).toBe(0)
      const text = readFileSync(at.path('spans.jsonl'), 'utf8')
      for (const word of [secret, 'characters', 'shall write', '.md']) expect(text).not.toContain(word)

      const printed = at.weave('export', '--otlp', '--file', '-')
      expect([printed.status, printed.stdout]).toEqual([0, text])
      const all = at.weave('export', '--otlp', '--file', '-', '--content', 'all').stdout
      for (const word of [
        'gen_ai.output.messages',
        'shall write',
        'gen_ai.input.messages',
        '[redacted:MY_API_KEY]',
      ])
        expect(all).toContain(word)
      expect(all).not.toContain(secret)
      expect(ids(spansIn(all))).toEqual(ids(spans))
      const tools = at.weave('export', '--otlp', '--file', '-', '--content', 'tools').stdout
      expect(tools).not.toContain('shall write')

      const moved = join(dirname(at.execution()), 'another-name')
      renameSync(at.execution(), moved)
      expect(at.weave('export', '--otlp', '--file', '-', moved).stdout).toBe(text)
    },
    120_000,
  )

  verifies(
    ['otel/whole-tree', 'otel/sums', 'otel/crash', 'otel/spans', 'otel/export-one-run'],
    'has a whole tree and the sums of the report after a kill, and two rollbacks, each with a resume',
    async () => {
      const at = await hankFolder([
        codon('draft'),
        codon('review', { promptText: 'Review it. Then hang.' }),
        codon('publish'),
      ])
      const run = await at.startScripted('--headless')
      await run.until('shall write review')
      await run.kill('SIGKILL')
      const abandoned = exported(at)
      expect(orphans(abandoned)).toEqual([])
      expect(abandoned.filter(each => attributesOf(each)['error.type'] === 'crashed').length).toBeGreaterThan(
        1,
      )

      at.setHank([codon('draft'), codon('review'), codon('publish')])
      expect((await at.scripted('--headless', '-e', at.execution(), '--adopt', '-y')).status).toBe(0)
      expect(at.weave('rollback', 'draft', '-y').status).toBe(0)
      expect((await at.scripted('--headless', '-e', at.execution())).status).toBe(0)
      expectWholeExport(at)
      expect(at.weave('rollback', 'review', '-y').status).toBe(0)
      expect((await at.scripted('--headless', '-e', at.execution())).status).toBe(0)
      const spans = exported(at)
      expect(orphans(spans)).toEqual([])
      expect(new Set(ids(spans)).size).toBe(spans.length)
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
      expect(ids(spans)).toEqual(expect.arrayContaining([...ids(abandoned)]))
      expect(spans.filter(({ name }) => name === 'weave.rollback')).toHaveLength(2)

      expectWholeExport(at)

      const runs = spans.filter(({ name }) => name.startsWith('invoke_workflow')).map(attributesOf)
      const runId = String(runs[0]?.['weave.run.id'])
      expect(exported(at, '--run', runId).length).toBeLessThan(spans.length)
      const none = at.weave('export', '--otlp', '--file', 'x.jsonl', '--run', 'run_none')
      expect([none.status, none.stderr]).toEqual([1, expect.stringContaining(runId)])
    },
    180_000,
  )

  verifies(
    ['otel/export-post', 'otel/export-refused', 'otel/export-no-address', 'otel/names'],
    'posts to a collector, says what one answered that refuses, and asks for an address when there is none',
    async () => {
      const at = await place()
      expect((await at.scripted('--headless')).status).toBe(0)
      const asked = at.weave('export', '--otlp')
      expect([asked.status, asked.stderr]).toEqual([
        2,
        expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT'),
      ])
      expect(at.weave('export').status).toBe(2)

      const { env, spans, traces } = await otlpCollector()
      const sending = at.with({
        ...env,
        OTEL_EXPORTER_OTLP_HEADERS: `api-key=${key}`,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      })
      const sent = sending.start('export', '--otlp', '--names', 'latest')
      expect(await sent.ended).toBe(0)
      expect(sent.said()).toMatch(/Sent \d+ spans of 1 run\. Trace [0-9a-f]{32}/)
      expect(ids(spans())).toEqual(ids(exported(at)))
      expect(traces()[0]?.headers).toMatchObject({ 'api-key': key, 'content-encoding': 'gzip' })
      expect(traces()[0]?.body.toString()).toContain('https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev')

      const refusing = await otlpCollector(response => {
        response.statusCode = 401
        response.end('no such key')
      })
      const refused = at.with(refusing.env).start('export', '--otlp')
      expect(await refused.ended).toBe(1)
      expect(refused.said()).toContain(
        `The collector at ${new URL(refusing.endpoint).host} answered 401: no such key`,
      )
      const gone = at.with({ OTEL_EXPORTER_OTLP_TIMEOUT: '500' })
      const unreachable = gone.weave('export', '--otlp', '--endpoint', 'http://127.0.0.1:9')
      expect([unreachable.status, unreachable.stderr]).toEqual([
        1,
        expect.stringContaining('cannot be reached'),
      ])
      const grpc = at.with({ ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).weave('export', '--otlp')
      expect([grpc.status, grpc.stderr]).toEqual([2, expect.stringContaining('grpc is not built in')])
    },
    120_000,
  )

  verifies(['otel/events'], 'finds calls, turns and rig operations as the journal has them', async () => {
    const at = await place()
    expect((await at.scripted('--headless')).status).toBe(0)
    const [call] = at.events('assistant.action').filter(({ data }) => data['action'] === 'tool_use')
    const [result] = at.events('tool.result')
    expect(call?.data['toolUseId']).toBe(result?.data['toolUseId'])
    for (const { data } of at.events('token.usage'))
      expect(Date.parse(String(data['startedAt']))).toBeGreaterThan(0)
    expect(at.events('rig.operation').map(({ data }) => data)).toEqual([
      expect.objectContaining({ codonId: 'draft', operation: 0, type: 'command', ok: true, exitCode: 0 }),
    ])
  })
})

verifies(
  ['otel/execution-id'],
  'an execution with an origin of its own has the id that stands there',
  async () => {
    const at = await place()
    expect((await at.scripted('--headless')).status).toBe(0)
    const original = at.execution()
    const copy = join(dirname(original), 'copied')
    cpSync(original, copy, { recursive: true })
    writeFileSync(
      join(copy, '.weave/origin.json'),
      JSON.stringify({ version: 1, kind: 'fork', id: 'exe_fork' }),
    )
    const trace = (dir: string): string =>
      jsonLines<{ traceId: string }>(at.weave('export', '--otlp', '--file', 'x', '--json', dir).stdout)[0]
        ?.traceId ?? ''
    expect(trace(copy)).not.toBe(trace(original))
    expect(existsSync(at.path('x'))).toBe(true)
  },
)
