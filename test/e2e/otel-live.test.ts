import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  codon,
  command,
  type HankFolder,
  hankFolder,
  lightAgents,
  lightCodon,
} from '../support/hank-folder.ts'
import { attributesOf, otlpCollector, spansIn } from '../support/otlp-collector.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const parent = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }
const outside = {
  TRACEPARENT: `00-${parent.traceId}-${parent.spanId}-01`,
  TRACESTATE: 'of=outside',
  BAGGAGE: 'of=outside',
}
const telling = [command('echo "$TRACEPARENT|$TRACESTATE|$BAGGAGE|$OTEL_EXPORTER_OTLP_HEADERS"')]

function place(fields: object = {}): Promise<HankFolder> {
  return hankFolder(
    [
      codon('draft', { rigSetup: telling, ...fields }),
      codon('review', { outputFiles: [{ copy: ['*.md'], beforeCopy: telling }] }),
    ],
    {},
    { inMemory: true },
  )
}

function exportedIds(at: HankFolder): readonly string[] {
  const { stdout } = at.weave('export', '--otlp', '--file', '-')
  return spansIn(stdout).map(({ spanId }) => spanId)
}

function noteOf(at: HankFolder): { readonly seq: number } | undefined {
  const file = at.execution('.weave/otel.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly seq: number }) : undefined
}

/** Milliseconds that a run took from start to end, and its exit code. */
async function timed(at: HankFolder, ...words: readonly string[]) {
  const began = Date.now()
  const run = await at.startScripted('--headless', ...words)
  return { status: await run.ended, ms: Date.now() - began }
}

describe('a run that sends spans', () => {
  verifies(
    ['otel/live', 'otel/live-metrics', 'otel/started-by', 'otel/traceparent', 'otel/agents-without-headers'],
    'has sent all of them and its metrics when it ends, and hands the span of each attempt on',
    async () => {
      const { env, spans, metrics } = await otlpCollector()
      const secret = 'x-key=a-key-of-the-collector'
      const at = (await place()).with({ ...env, ...outside, OTEL_EXPORTER_OTLP_HEADERS: secret })
      expect(await timed(at, '--otel')).toMatchObject({ status: 0 })
      const sent = spans()
      expect(sent.map(({ spanId }) => spanId)).toEqual(exportedIds(at))
      expect(noteOf(at)?.seq).toBeGreaterThan(0)
      const [run] = sent.filter(({ name }) => name.startsWith('invoke_workflow'))
      expect(run?.links?.map(({ spanId }) => spanId)).toEqual([parent.spanId])

      const [draft, review] = ['draft', 'review'].map(id =>
        sent.find(({ name }) => name === `invoke_agent ${id}`),
      )
      expect(at.events('rig.output').map(({ data }) => String(data['text']).trim())).toEqual([
        `00-${draft?.traceId}-${draft?.spanId}-01|||`,
        `00-${review?.traceId}-${review?.spanId}-01|||`,
      ])
      const text = metrics()
        .map(({ body }) => body.toString('utf8'))
        .join()
      expect(text).toContain('gen_ai.client.token.usage')
      expect(text).toContain('"explicitBounds":[1,4,16,64')
      const tokens = sent
        .filter(({ name }) => name.startsWith('chat'))
        .reduce((sum, span) => sum + Number(attributesOf(span)['gen_ai.usage.output_tokens']), 0)
      expect(tokens).toBe(80)
      expect(text).toContain('"sum":80')

      const without = (await place()).with({ ...env, OTEL_METRICS_EXPORTER: 'none' })
      const before = metrics().length
      expect(await timed(without, '--otel')).toMatchObject({ status: 0 })
      expect(metrics()).toHaveLength(before)
    },
    120_000,
  )

  verifies(
    ['otel/traceparent', 'otel/off-loads-nothing', 'otel/switch'],
    'does none of that while it is off, and loads nothing of it; what a codon sets wins',
    async () => {
      const { env, posts } = await otlpCollector()
      const at = (await place()).with({ ...env, ...outside })
      const spy = `const load = require('node:vm').Script; const fs = require('node:fs');
        require('node:vm').Script = class extends load { constructor(code, ...rest) { super(code, ...rest);
        if (String(code).includes('ExportTraceServiceRe') || String(code).includes('resourceSpans')) fs.appendFileSync(${JSON.stringify(at.path('loaded.txt'))}, 'x') } }`
      at.write({ 'spy.cjs': spy })
      const spied = at.with({ NODE_OPTIONS: `--require ${at.path('spy.cjs')}` })
      expect(await timed(spied)).toMatchObject({ status: 0 })
      expect(spied.weave('--version').status).toBe(0)
      expect(spied.weave('validate', '--skip-self-test').stdout).not.toBe('')
      expect([posts.length, existsSync(at.path('loaded.txt'))]).toEqual([0, false])
      expect(String(at.events('rig.output')[0]?.data['text']).trim()).toBe(
        `${outside.TRACEPARENT}|of=outside|of=outside|`,
      )
      // The spy sees what it looks for.
      expect(spied.weave('export', '--otlp', '--file', 'x.jsonl').status).toBe(0)
      expect(existsSync(at.path('loaded.txt'))).toBe(true)

      const own = (await place({ env: { TRACEPARENT: 'mine' } })).with(env)
      expect(await timed(own, '--otel')).toMatchObject({ status: 0 })
      expect(String(own.events('rig.output')[0]?.data['text'])).toMatch(/^mine\|/)
      const off = (await place()).with({ ...env, OTEL_SDK_DISABLED: 'true' })
      const before = posts.length
      expect(await timed(off, '--otel')).toMatchObject({ status: 0 })
      expect(posts).toHaveLength(before)
    },
    120_000,
  )

  verifies(
    ['otel/live-resume', 'otel/live-trouble'],
    'goes on without a collector, and the next start sends what none has taken',
    async () => {
      const hanging = codon('review', { promptText: 'Review it. Then hang.' })
      const at = await hankFolder([codon('draft'), hanging], {}, { inMemory: true })
      const gone = at.with({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_BSP_SCHEDULE_DELAY: '50',
      })
      const run = await gone.startScripted('--headless', '--otel')
      await run.until('shall write review')
      await run.kill('SIGKILL')
      expect(noteOf(at)).toBeUndefined()

      const { env, spans } = await otlpCollector()
      at.setHank([codon('draft'), codon('review')])
      const again = at.with(env)
      expect(await timed(again, '--otel', '-e', at.execution(), '--adopt', '-y')).toMatchObject({ status: 0 })
      const sent = spans().map(({ spanId }) => spanId)
      expect([...sent].sort()).toEqual([...exportedIds(at)].sort())
      const first = noteOf(at)?.seq ?? 0
      expect(at.weave('rollback', 'draft', '-y').status).toBe(0)
      expect(await timed(again, '--otel', '-e', at.execution())).toMatchObject({ status: 0 })
      const all = spans().map(({ spanId }) => spanId)
      expect([...all].sort()).toEqual([...exportedIds(at)].sort())
      expect(noteOf(at)?.seq).toBeGreaterThan(first)
    },
    180_000,
  )

  verifies(
    ['otel/live-trouble'],
    'is neither failed nor held up by collectors that are gone, silent, busy or refuse',
    async () => {
      const silent = await otlpCollector(() => undefined)
      const busy = await otlpCollector(response => {
        response.statusCode = 503
        response.end()
      })
      const refusing = await otlpCollector(response => {
        response.statusCode = 400
        response.end('what is this?')
      })
      const endpoints = [silent.endpoint, busy.endpoint, refusing.endpoint, 'http://127.0.0.1:9']
      // One that sends nothing runs beside them: what the machine does else holds up all alike.
      const usual = timed(await place())
      const runs = endpoints.map(async OTEL_EXPORTER_OTLP_ENDPOINT => {
        const at = (await place()).with({ OTEL_EXPORTER_OTLP_ENDPOINT })
        const { status, ms } = await timed(at, '--otel')
        const log = readFileSync(at.execution('.weave/logs/server.log'), 'utf8')
        const [ended] = at.events('run.completed')
        return { status, ms, log, run: Number(ended?.data['duration']) }
      })
      const most = (await usual).ms * 3 + 6_000
      for (const { status, ms, log, run } of await Promise.all(runs)) {
        expect(status).toBe(0)
        expect(ms).toBeLessThan(most)
        expect(ms - run).toBeLessThan(most)
        expect(log).toMatch(/\[OTEL\] (\d+|some) spans were not sent: .*; weave export --otlp sends them/)
      }
      expect([silent, busy, refusing].every(({ traces }) => traces().length > 0)).toBe(true)
    },
    180_000,
  )

  verifies(
    ['otel/secrets', 'otel/header-secrets', 'otel/content-none', 'otel/content-levels'],
    'sends no secret that stands in prompts, headers, files or what tools answered, with and without content',
    async () => {
      const [secret, header] = ['canary-0123456789-secret', 'collector-canary-9876543210']
      const step = { use: 'bash', input: { command: `echo ${secret} ${header}` } }
      const script = { codons: { draft: [step, { say: `It said ${secret} and ${header}.` }] } }
      for (const content of ['none', 'all']) {
        const { env, posts } = await otlpCollector()
        const prompt = { promptText: `Print ${secret} and ${header}.` }
        const at = (await hankFolder([lightCodon('draft', prompt)], { 'rehearsal.json': script })).with({
          ...env,
          MY_API_KEY: secret,
          OTEL_EXPORTER_OTLP_HEADERS: `x-key=${header}`,
        })
        at.write({ 'weave.json': { ...lightAgents, otel: { content } } })
        const run = at.start('rehearse', '--headless', '--otel')
        expect(await run.ended, run.said()).toBe(0)
        const sent = posts.map(({ body }) => body.toString('utf8')).join('\n')
        expect(sent).toContain('execute_tool')
        expect(sent).not.toContain(secret)
        expect(sent).not.toContain(header)
        expect(sent.includes('[redacted:MY_API_KEY]')).toBe(content === 'all')
        expect(posts[0]?.headers['x-key']).toBe(header)
      }
    },
    120_000,
  )

  verifies(
    ['otel/doctor', 'otel/switch-shown', 'otel/grpc'],
    'is shown by validate with who switched it on, and doctor tries its collector',
    async () => {
      const at = await place()
      at.write({ 'weave.json': { otel: { content: 'tools' } } })
      const shown = at.with({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_METRICS_EXPORTER: 'none' })
      const { stdout } = shown.weave('validate', '--verbose', '--skip-self-test')
      expect(stdout).toMatch(/otel\.enabled +true +OTEL_TRACES_EXPORTER/)
      expect(stdout).toMatch(/otel\.content +"tools" +weave\.json/)
      expect(stdout).toMatch(/otel\.metrics +false +OTEL_METRICS_EXPORTER/)
      expect(at.weave('validate', '--verbose', '--skip-self-test', '--otel').stdout).toMatch(
        /otel\.enabled +true +--otel/,
      )
      const grpc = shown.with({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).weave('validate', '--skip-self-test')
      expect([grpc.status, grpc.stdout + grpc.stderr]).toEqual([
        1,
        expect.stringContaining('grpc is not built in'),
      ])
      const plain = shown.with({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' })
      const warned = plain.weave('validate', '--skip-self-test')
      expect(warned.stdout + warned.stderr).toContain('collector.example:4318 without encryption')

      const { env, traces } = await otlpCollector()
      const good = at.with(env).start('doctor', '--otel')
      await good.ended
      expect(good.said()).toMatch(/ok +OpenTelemetry +the collector at 127\.0\.0\.1:\d+ answers/)
      expect(traces()).toHaveLength(1)
      const bad = at.with({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }).weave('doctor', '--otel')
      expect(bad.stdout).toMatch(/! +OpenTelemetry +the collector at 127\.0\.0\.1:9 cannot be reached/)
      expect(at.weave('doctor').stdout).not.toContain('OpenTelemetry')
    },
    120_000,
  )
})
