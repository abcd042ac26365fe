import { describe, expect, onTestFinished } from 'vitest'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { verifies } from '../conformance/verifies.ts'
import { startCanary } from '../support/canary-server.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { bash, say } from './agents-stage.ts'

/** Models that are not in the catalogue: on this machine, and of files of a person. */

const patience = 120_000
/** So that there is a checkpoint before the agent. */
const quietRig = { type: 'command', command: { run: 'true' } }

async function localServer(respond: (request: ModelRequest) => Answer) {
  const server = await startRecordedServer({ clock: systemClock, respond })
  onTestFinished(() => server.close())
  return server
}

/** Writes a file, then says so. */
function worker(usage = { input: 1_000, output: 10 }): (request: ModelRequest) => Answer {
  return ({ turns }) =>
    turns.some(({ results }) => results.length > 0)
      ? say('Done.', usage)
      : bash('echo written > note.md', usage)
}

describe('a model of a server without a key', () => {
  verifies(
    ['agents/own-provider', 'agents/keyless', 'agents/unknown-window'],
    'is named in models.json, asked without one, counted at its price, rolled back, and nothing is left',
    async () => {
      const server = await localServer(worker())
      const at = await hankFolder(
        [codon('build', { model: 'den/tiny', promptText: 'Work.', rigSetup: [quietRig] })],
        {
          'home/.weave/models.json': {
            providers: {
              den: {
                baseUrl: `${server.url}/v1`,
                key: false,
                models: [{ id: 'tiny', prices: { input: 2, output: 10 } }],
              },
            },
          },
        },
      )
      const checked = at.start('validate')
      expect(await checked.ended, checked.said()).toBe(0)
      expect(checked.said()).toContain('The context window of den/tiny is not known')
      const run = at.start('--headless')
      expect(await run.ended, run.said()).toBe(0)
      expect(at.read('note.md')).toBe('written\n')
      const asked = server.requests.filter(({ kind }) => kind === 'model')
      expect(asked.map(({ path, model, key }) => ({ path, model, key }))).toEqual(
        asked.map(() => ({ path: '/v1/chat/completions', model: 'tiny', key: 'none' })),
      )
      const spent = at.events('token.usage').at(-1)
      expect(Number(spent?.data['totalCost'])).toBeCloseTo((2_000 * 2 + 20 * 10) / 1e6, 9)
      expect(leftovers(at.execution())).toEqual([])
      expect(at.weave('rollback', 'build:rig-setup', '-y').status).toBe(0)
      expect(at.read('note.md')).toBeUndefined()
    },
    patience,
  )

  verifies(
    ['agents/local-servers', 'agents/unknown-price'],
    'needs no file for the usual servers; a dollar limit on it is warned of',
    async () => {
      const server = await localServer(worker())
      const fields = { model: 'ollama/qwen3:8b', promptText: 'Work.', budget: { maxDollars: 1 } }
      const at = (await hankFolder([codon('build', fields)])).with({ OLLAMA_BASE_URL: `${server.url}/v1` })
      const checked = at.weave('validate', '--skip-self-test')
      expect(checked.status, checked.stdout + checked.stderr).toBe(0)
      expect(checked.stdout + checked.stderr).toMatch(/ollama\/qwen3:8b.*(price|pricing)/i)
      const run = at.start('--headless', '--skip-self-test')
      expect(await run.ended, run.said()).toBe(0)
      expect(at.read('note.md')).toBe('written\n')
    },
    patience,
  )
})

describe('the models file of a person’s own Pi agent', () => {
  verifies(
    ['agents/pi-models-file', 'agents/file-key-masked'],
    'is read: its key is sent to its address and masked everywhere else',
    async () => {
      const key = 'sk-own-0123456789abcdef'
      const server = await localServer(({ turns }) =>
        turns.some(({ results }) => results.length > 0) ? say('Done.') : bash('echo $HIVE_API_KEY > note.md'),
      )
      const at = await hankFolder([codon('build', { model: 'hive/bee', promptText: 'Work.' })], {
        'home/.pi/agent/models.json': {
          providers: {
            hive: {
              baseUrl: `${server.url}/v1`,
              api: 'openai-completions',
              apiKey: key,
              models: [
                {
                  id: 'bee',
                  contextWindow: 64_000,
                  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                },
              ],
            },
          },
        },
      })
      const run = at.start('--headless', '--skip-self-test')
      expect(await run.ended, run.said()).toBe(0)
      const asked = server.requests.filter(({ kind }) => kind === 'model')
      expect(new Set(asked.map(request => request.key))).toEqual(new Set([key]))
      expect(at.read('note.md'), 'its agent may use it').toBe(`${key}\n`)
      expect(JSON.stringify(at.events())).not.toContain(key)
      expect(JSON.stringify(at.events())).toContain('[redacted:HIVE_API_KEY]')
    },
    patience,
  )
})

describe('plain http to another machine', () => {
  verifies(
    ['agents/plain-http'],
    'is refused unless weave.json names the host, and then warned of',
    async () => {
      const models = { providers: { nas: { baseUrl: 'http://nas.example:11434/v1', key: false } } }
      const at = await hankFolder([codon('build', { model: 'nas/big' })], {
        'home/.weave/models.json': models,
      })
      const refused = at.weave('validate', '--skip-self-test')
      expect(refused.status).toBe(1)
      expect(refused.stdout + refused.stderr).toContain('"plainHttpHosts": ["nas.example"]')
      at.write({ 'weave.json': { plainHttpHosts: ['nas.example'] } })
      const allowed = at.weave('validate', '--skip-self-test')
      expect(allowed.status, allowed.stdout + allowed.stderr).toBe(0)
      expect(allowed.stdout + allowed.stderr).toContain('over plain http')
    },
  )
})

describe('a rehearsal', () => {
  verifies(
    ['agents/rehearsal-own-providers'],
    'asks neither a provider of a file nor a server on this machine, with no key of theirs',
    async () => {
      const canary = await startCanary()
      const address = `${canary.url}/v1`
      const at = await hankFolder(
        [
          codon('one', { model: 'den/tiny' }),
          codon('two', { model: 'hive/bee' }),
          codon('three', { model: 'ollama/qwen3' }),
        ],
        {
          'home/.weave/models.json': { providers: { den: { baseUrl: address, key: 'DEN_SECRET_WORD' } } },
          'home/.pi/agent/models.json': {
            providers: {
              hive: { baseUrl: address, apiKey: 'sk-own-0123456789abcdef', models: [{ id: 'bee' }] },
            },
          },
          'rehearsal.json': {
            codons: { '*': [{ use: 'bash', input: { command: 'env > seen.md' } }, { say: 'ok' }] },
          },
        },
      )
      const there = at.with({ OLLAMA_BASE_URL: address, DEN_SECRET_WORD: 'den-0123456789abcdef' })
      const { status, stderr } = await rehearsed(there)
      expect(status, stderr).toBe(0)
      expect(canary.visits).toEqual([])
      const seen = at.read('seen.md') ?? ''
      expect(seen).not.toContain('sk-own-0123456789abcdef')
      expect(seen).not.toContain(address)
    },
    patience,
  )
})

/** Not in this thread: the canary must be able to hear. */
async function rehearsed(at: Awaited<ReturnType<typeof hankFolder>>) {
  const run = at.start('rehearse', '--headless')
  return { status: await run.ended, stderr: run.said() }
}
