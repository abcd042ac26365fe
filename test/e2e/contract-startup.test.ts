import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { launcher } from '../support/run-cli.ts'
import { startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

beforeAll(scriptedWeave, 120_000)

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: 'Do it.',
  checkpointedFiles: ['*.md'],
  ...more,
})

/** A provider that answers every request the same, and a hank that would ask it. */
async function place(status: number, hank: readonly object[], models: readonly object[] = []) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"input_tokens":8}')
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const cwd = await tempDir()
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  writeFileSync(join(cwd, 'models.json'), JSON.stringify({ models }))
  writeFileSync(join(cwd, 'weave.json'), JSON.stringify({ modelsFile: 'models.json' }))
  const env = {
    HOME: join(cwd, 'home'),
    ANTHROPIC_API_KEY: 'a-key-for-nobody',
    AMAZON_BEDROCK_API_KEY: 'a-key-for-nobody',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
  }
  const start = async () => {
    const run = startCommand(launcher, ['--headless'], { cwd, env })
    return { status: await run.ended, said: run.said() }
  }
  return { asked, start, executions: join(cwd, 'home/.weave-executions') }
}

/** A provider that answers well, and the keys that it was asked with. */
async function answering(body: string) {
  const keys: unknown[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key'])
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { keys, url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}` }
}

describe('a start', () => {
  verifies(
    ['2.12/self-test-on-startup'],
    'asks every time whether key and model are good, and begins nothing when they are not',
    async () => {
      const { asked, start, executions } = await place(401, [codon('a')])
      for (const times of [1, 2]) {
        const { status, said } = await start()
        expect([status, said]).toEqual([1, expect.stringMatching(/Self-test of .*failed \(auth\)/)])
        expect(asked).toEqual(Array.from({ length: times }, () => 'POST /v1/messages/count_tokens'))
      }
      expect(existsSync(executions)).toBe(false)
    },
  )

  verifies(
    ['2.12/catalog-preflight-before-spending'],
    'ends before the first codon when a later one names a model that cannot be served',
    async () => {
      const provider = 'amazon-bedrock'
      const model = {
        provider,
        id: 'someone.large-v1',
        name: 'Large',
        contextWindow: 100_000,
        maxOutputTokens: 1_000,
      }
      const late = codon('b', { model: `${provider}/${model.id}` })
      const { asked, start, executions } = await place(200, [codon('a'), late], [model])
      const { status, said } = await start()
      expect([status, said]).toEqual([1, expect.stringContaining(`cannot serve ${provider}/${model.id}`)])
      expect(asked.filter(request => !request.includes('count_tokens'))).toEqual([])
      expect(existsSync(executions)).toBe(false)
    },
  )
})

/** A provider that knows one model of two, and is ready to do work for money. */
async function knowsOne(known: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const isKnown = request.url === `/v1/models/${known}`
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? { id: known } : { error: { message: 'no such model' } }))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { asked, url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}` }
}

verifies(
  ['2.12/catalog-preflight', '2.12/catalog-preflight-before-spending', '2.12/self-test-on-startup'],
  'a start ends before the first codon when the provider serves its model and not that of a later one',
  async () => {
    const { asked, url } = await knowsOne('gpt-5')
    const cwd = await tempDir()
    const hank = [codon('a', { model: 'openai/gpt-5' }), codon('b', { model: 'openai/gpt-5-mini' })]
    writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
    const env = { HOME: join(cwd, 'home'), OPENAI_API_KEY: 'a-key-for-nobody', OPENAI_BASE_URL: url }
    const run = startCommand(launcher, ['--headless'], { cwd, env })
    expect([await run.ended, run.said()]).toEqual([
      1,
      expect.stringMatching(/Codon 2 \(b\): Self-test of embedded:openai\/gpt-5-mini failed \(model\)/),
    ])
    expect(run.said()).not.toContain('Codon 1 (a): Self-test')
    expect([...asked].sort()).toEqual(['GET /v1/models/gpt-5', 'GET /v1/models/gpt-5-mini'])
    expect(existsSync(join(cwd, 'home/.weave-executions'))).toBe(false)
  },
)

describe('a variable that is unset', () => {
  const sentinelConfig = {
    id: 'narrator',
    name: 'Narrator',
    model: 'haiku',
    trigger: { type: 'event', on: ['codon.completed'] },
    execution: { strategy: 'immediate' },
    userPromptText: 'What happened?',
  }
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [{ type: 'text', text: 'Much.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }

  verifies(
    ['2.9/unset-before-sentinel-providers'],
    'is no key for the provider of a sentinel in a run',
    async () => {
      const provider = await answering(JSON.stringify(answer))
      const cwd = await tempDir()
      const hank = [codon('a', { model: 'openai/gpt-5', sentinels: [{ sentinelConfig }] })]
      writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
      const env = {
        HOME: join(cwd, 'home'),
        ANTHROPIC_API_KEY: 'the-key-that-is-kept',
        ANTHROPIC_BASE_URL: provider.url,
      }
      const run = async (more: Readonly<Record<string, string>>) => {
        const command = startCommand(await scriptedWeave(), ['-n', '--port', '0'], {
          cwd,
          env: { ...env, ...more },
        })
        return [await command.ended, command.said()] as const
      }
      expect(await run({})).toEqual([0, expect.not.stringMatching(/no key for anthropic/i)])
      const asked = provider.keys.length
      expect(asked).toBeGreaterThan(0)
      expect(new Set(provider.keys)).toEqual(new Set(['the-key-that-is-kept']))
      expect(await run({ WEAVE_ANTHROPIC_API_KEY: 'unset' })).toEqual([
        0,
        expect.stringMatching(/no key for anthropic/i),
      ])
      expect(provider.keys).toHaveLength(asked)
    },
    60_000,
  )
})
