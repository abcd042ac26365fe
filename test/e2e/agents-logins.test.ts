import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished } from 'vitest'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { verifies } from '../conformance/verifies.ts'
import { openCloudDoor } from '../support/cloud-door.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { bash, say } from './agents-stage.ts'

/** Ways to sign in, the choice of tools, and agents that are ready before they are needed. */

const patience = 120_000

async function modelServer(respond: (request: ModelRequest) => Answer | Promise<Answer>) {
  const server = await startRecordedServer({ clock: systemClock, respond })
  onTestFinished(() => server.close())
  return server
}

const asker = ({ turns }: ModelRequest): Answer =>
  turns.some(({ results }) => results.length > 0) ? say('Done.') : bash('echo "$TOLD" > note.md')

describe('a login', () => {
  verifies(
    ['agents/logins', 'agents/doctor-logins'],
    'may be a token: preflight takes it, doctor names it, the agent signs in with it, nobody else sees it',
    async () => {
      const token = 'sk-ant-oat01-0123456789abcdef'
      const server = await modelServer(asker)
      const fields = { model: 'claude-sonnet-4-5', env: { TOLD: token } }
      const at = (await hankFolder([codon('build', fields)])).with({
        CLAUDE_CODE_OAUTH_TOKEN: token,
        ANTHROPIC_BASE_URL: server.url,
      })
      const doctor = at.weave('doctor')
      expect(doctor.stdout).toMatch(/key for anthropic +CLAUDE_CODE_OAUTH_TOKEN is set, a token/)
      const run = at.start('--headless')
      expect(await run.ended, run.said()).toBe(0)
      const asked = server.requests.filter(({ kind }) => kind === 'model')
      expect(new Set(asked.map(({ key }) => key))).toEqual(new Set([token]))
      expect(at.read('note.md')).toBe(`${token}\n`)
      expect(JSON.stringify(at.events())).not.toContain(token)
      expect(run.said()).not.toContain(token)
    },
    patience,
  )

  verifies(['agents/logins', 'agents/doctor-logins'], 'may be a cloud that is switched on', async () => {
    const at = (await hankFolder([codon('build', { model: 'sonnet' })])).with({
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_REGION: 'us-east-1',
    })
    expect(at.weave('doctor').stdout).toMatch(/key for anthropic +Amazon Bedrock, by CLAUDE_CODE_USE_BEDROCK/)
    const checked = at.weave('validate')
    expect(checked.status, checked.stdout + checked.stderr).toBe(0)
  })

  const login = 'the-login-of-a-cloud-0123456789'
  const clouds = {
    Bedrock: (url: string) => ({
      CLAUDE_CODE_USE_BEDROCK: '1',
      ANTHROPIC_BEDROCK_BASE_URL: url,
      AWS_REGION: 'us-east-1',
      AWS_BEARER_TOKEN_BEDROCK: login,
    }),
    Vertex: (url: string) => ({
      CLAUDE_CODE_USE_VERTEX: '1',
      ANTHROPIC_VERTEX_BASE_URL: url,
      ANTHROPIC_VERTEX_PROJECT_ID: 'a-project',
      CLOUD_ML_REGION: 'us-east5',
      CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
    }),
    Foundry: (url: string) => ({
      CLAUDE_CODE_USE_FOUNDRY: '1',
      ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
      ANTHROPIC_FOUNDRY_API_KEY: login,
    }),
  }
  for (const [name, variables] of Object.entries(clouds))
    verifies(
      ['agents/logins', 'agents/cloud-runs'],
      `may be that of ${name}: a whole run asks there alone, is counted, and the login is masked`,
      async () => {
        const server = await modelServer(asker)
        const door = await openCloudDoor(server.url)
        onTestFinished(() => door.close())
        const fields = { model: 'claude-sonnet-4-5', env: { TOLD: login } }
        const at = (await hankFolder([codon('build', fields)])).with(variables(door.url))
        const run = at.start('--headless', '--skip-self-test')
        expect(await run.ended, run.said()).toBe(0)
        expect(at.read('note.md')).toBe(`${login}\n`)
        const work = door.asked.filter(({ path }) => /invoke|awPredict|messages/.test(path))
        expect(work.length).toBeGreaterThanOrEqual(2)
        expect(new Set(server.requests.map(({ key }) => key))).toEqual(new Set(['of-the-door']))
        if (name !== 'Vertex') expect(new Set(work.map(each => each.login))).toEqual(new Set([login]))
        const usage = at.events('token.usage')
        expect(usage.length).toBeGreaterThanOrEqual(2)
        expect(Number(usage.at(-1)?.data['totalCost'])).toBeGreaterThan(0)
        if (name !== 'Vertex') expect(JSON.stringify(at.events()) + run.said()).not.toContain(login)
        expect(leftovers(at.execution())).toEqual([])
      },
      patience,
    )

  verifies(
    ['agents/pi-login-file', 'agents/doctor-logins'],
    'may be in the file of a person’s own Pi agent, which stays as it is and is masked',
    async () => {
      const key = 'sk-ant-own-0123456789abcdef'
      const login = JSON.stringify({ anthropic: { type: 'api_key', key } })
      const server = await modelServer(asker)
      const fields = { model: 'pi/anthropic/claude-sonnet-4-5', env: { TOLD: key } }
      const files = { 'home/.pi/agent/auth.json': login }
      const at = (await hankFolder([codon('build', fields)], files)).with({ ANTHROPIC_BASE_URL: server.url })
      const run = at.start('--headless')
      expect(await run.ended, run.said()).toBe(0)
      const asked = server.requests.filter(({ kind }) => kind === 'model')
      expect(new Set(asked.map(request => request.key))).toEqual(new Set([key]))
      expect(readFileSync(at.path('home/.pi/agent/auth.json'), 'utf8')).toBe(login)
      expect(readdirSync(at.execution('.weave')).join()).not.toContain('auth.json')
      expect(JSON.stringify(at.events())).not.toContain(key)
    },
    patience,
  )
})

describe('the tools of agents', () => {
  verifies(
    ['agents/tools-chosen', 'agents/tools-shown', 'agents/pi-whole-set'],
    'are those that weave.json leaves them, and weave validate says so',
    async () => {
      const server = await modelServer(() => say('Done.'))
      const at = (
        await hankFolder(
          [
            codon('one', { model: 'claude-sonnet-4-5' }),
            codon('two', { model: 'pi/anthropic/claude-sonnet-4-5' }),
          ],
          {
            'weave.json': {
              agents: { claude: { tools: { deny: ['Write'] } }, pi: { tools: { deny: ['bash'] } } },
            },
          },
        )
      ).with({ ANTHROPIC_API_KEY: 'a-key-of-ours-0123', ANTHROPIC_BASE_URL: server.url })
      const shown = at.weave('validate', '--skip-self-test', '--verbose').stdout
      expect(shown).toMatch(/agents\.claude\.tools\.deny.*Write/)
      const run = at.start('--headless', '--skip-self-test')
      expect(await run.ended, run.said()).toBe(0)
      const [claude, pi] = server.requests.filter(({ kind }) => kind === 'model').map(toolsOf)
      expect(claude).toEqual(expect.arrayContaining(['Bash', 'Edit', 'Read', 'Agent', 'Skill']))
      expect(claude).not.toContain('Write')
      expect(claude).not.toContain('ScheduleWakeup')
      expect(pi).toEqual(expect.arrayContaining(['read', 'edit', 'write', 'ls']))
      expect(pi).not.toContain('bash')
    },
    patience,
  )
})

function toolsOf({ body }: { readonly body: unknown }): readonly unknown[] {
  const tools: unknown = typeof body === 'object' && body !== null && 'tools' in body ? body.tools : []
  return Array.isArray(tools) ? tools.map((tool: { readonly name?: unknown }) => tool.name) : []
}

describe.each([
  ['Claude', 'claude-sonnet-4-5'],
  ['Pi', 'pi/anthropic/claude-sonnet-4-5'],
])('the %s agent of the next codon', (_agent, model) => {
  verifies(
    ['agents/ready-before-needed'],
    'is at hand while the one before it works, is used, and nothing is left in the end',
    async () => {
      let execution = ''
      const early: string[] = []
      const used: string[] = []
      const server = await modelServer(async ({ turns }) => {
        const isFirst = JSON.stringify(turns).includes('Work on one.')
        for (let patience = 300; isFirst && patience > 0 && early.length === 0; patience--) {
          await systemClock.sleep(100)
          execution ||= at.executions()[0] ?? ''
          early.push(...agentsOf(execution, 'two'))
        }
        if (!isFirst) used.push(...agentsOf(execution, 'two'))
        return say('Done.')
      })
      const folder = await hankFolder([codon('one', { model }), codon('two', { model })])
      const at = folder.with({ ANTHROPIC_API_KEY: 'a-key-of-ours-0123', ANTHROPIC_BASE_URL: server.url })
      const run = at.start('--headless', '--skip-self-test')
      expect(await run.ended, run.said()).toBe(0)
      expect(early).not.toEqual([])
      expect(used).toEqual(expect.arrayContaining(early.slice(0, 1)))
      expect(leftovers(at.execution())).toEqual([])
    },
    patience,
  )
})

/** The processes that carry the mark of the agent of a codon. */
function agentsOf(execution: string, codonId: string): readonly string[] {
  return execution === '' ? [] : leftovers(execution).filter(pid => isOf(pid, codonId))
}

function isOf(pid: string, codonId: string): boolean {
  try {
    return `${readFileSync(`/proc/${pid}/environ`, 'utf8')}\0`.includes(`:${codonId}\0`)
  } catch {
    return false
  }
}
