import { existsSync } from 'node:fs'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, sentinel } from '../support/hank-folder.ts'
import { answering, httpOnLoopback } from '../support/loopback.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

/** A provider that answers every request the same, and a hank that would ask it. */
async function place(status: number, hank: readonly object[], models: readonly object[] = []) {
  const { asked, url } = await httpOnLoopback(answering(status, { input_tokens: 8 }))
  const folder = await hankFolder(hank, {
    'models.json': { models },
    'weave.json': { modelsFile: 'models.json' },
  })
  const at = folder.with({
    ANTHROPIC_API_KEY: 'a-key-for-nobody',
    AMAZON_BEDROCK_API_KEY: 'a-key-for-nobody',
    ANTHROPIC_BASE_URL: url,
  })
  const start = async () => {
    const run = at.start('--headless')
    return { status: await run.ended, said: run.said() }
  }
  return { asked, start, executions: at.executionsDir }
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
const knowsOne = (known: string) =>
  httpOnLoopback((request, response) => {
    const isKnown = request.url === `/v1/models/${known}`
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? { id: known } : { error: { message: 'no such model' } }))
  })

verifies(
  ['2.12/catalog-preflight', '2.12/catalog-preflight-before-spending', '2.12/self-test-on-startup'],
  'a start ends before the first codon when the provider serves its model and not that of a later one',
  async () => {
    const { asked, url } = await knowsOne('gpt-5')
    const hank = [codon('a', { model: 'openai/gpt-5' }), codon('b', { model: 'openai/gpt-5-mini' })]
    const at = await hankFolder(hank)
    const run = at.with({ OPENAI_API_KEY: 'a-key-for-nobody', OPENAI_BASE_URL: url }).start('--headless')
    expect([await run.ended, run.said()]).toEqual([
      1,
      expect.stringMatching(/Codon 2 \(b\): Self-test of embedded:openai\/gpt-5-mini failed \(model\)/),
    ])
    expect(run.said()).not.toContain('Codon 1 (a): Self-test')
    expect([...asked].sort()).toEqual(['GET /v1/models/gpt-5', 'GET /v1/models/gpt-5-mini'])
    expect(existsSync(at.executionsDir)).toBe(false)
  },
)

describe('a variable that is unset', () => {
  const sentinelConfig = sentinel('narrator', 'codon.completed')
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
      const keys: unknown[] = []
      const { url } = await httpOnLoopback((request, response) => {
        keys.push(request.headers['x-api-key'])
        answering(200, answer)(request, response)
      })
      const hank = [codon('a', { model: 'openai/gpt-5', sentinels: [{ sentinelConfig }] })]
      const folder = await hankFolder(hank)
      const at = folder.with({ ANTHROPIC_API_KEY: 'the-key-that-is-kept', ANTHROPIC_BASE_URL: url })
      const run = async (more: Readonly<Record<string, string>>) => {
        const started = await at.with(more).startScripted('-n', '--port', '0')
        return [await started.ended, started.said()] as const
      }
      expect(await run({})).toEqual([0, expect.not.stringMatching(/no key for anthropic/i)])
      const asked = keys.length
      expect(asked).toBeGreaterThan(0)
      expect(new Set(keys)).toEqual(new Set(['the-key-that-is-kept']))
      expect(await run({ WEAVE_ANTHROPIC_API_KEY: 'unset' })).toEqual([
        0,
        expect.stringMatching(/no key for anthropic/i),
      ])
      expect(keys).toHaveLength(asked)
    },
    60_000,
  )
})
