import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, type HankFolder, hankFolder, jsonLines } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { scriptedAgents } from '../support/scripted-acp.ts'
import { launcher } from '../support/weave-command.ts'

/** MCP servers that the operator gives to agents: real agents, real servers, and a model that is a script. */

const patience = 180_000

/** A server of tools in a few lines, which also leaves a process behind, as servers do. */
const toolServer = `
const { createInterface } = require('node:readline')
const { spawn } = require('node:child_process')
const { appendFileSync, readFileSync } = require('node:fs')
const left = spawn('sleep', ['300'], { stdio: 'ignore', detached: true })
left.unref()
appendFileSync(__dirname + '/pids', process.pid + '\\n' + left.pid + '\\n')
const tool = name => ({ name, description: name, inputSchema: { type: 'object', properties: { who: { type: 'string' } } } })
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  const answer = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'greeter', version: '1' } })
  else if (method === 'tools/list') answer({ tools: [tool('greet'), tool('shout')] })
  else if (method === 'tools/call') answer({ content: [{ type: 'text', text: params.name + ' ' + params.arguments.who + ' from ' + process.cwd() + ' with ' + process.env.GREETER_TOKEN + ', told in the open: ' + readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').includes(process.env.GREETER_TOKEN) }] })
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
})
`

const word = (name: string) => `\${${name}}`
const secret = 'the-token-of-the-greeter-0123'
const greeter = {
  command: [process.execPath, word('GREETER_PATH')],
  env: { GREETER_TOKEN: word('OUTSIDE_GREETING') },
  cwd: 'project',
}
const models = { claude: 'claude-sonnet-4-5', pi: 'pi/anthropic/claude-sonnet-4-5' }
const call = (name: string, input: object = {}) => ({ call: { name, input } })
const greet = (tool: string) => call(`mcp__greeter__${tool}`, { who: 'you' })

/** What the servers wrote down of themselves and of what they started; it does not depend on how weave finds processes. */
const started = (at: HankFolder): readonly string[] =>
  existsSync(at.path('pids')) ? readFileSync(at.path('pids'), 'utf8').split('\n').filter(Boolean) : []
const alive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

const far = { url: 'https://example.com/mcp', headers: { 'x-greeting': word('OUTSIDE_GREETING') } }

/** What an agent calls, and what it is told; nobody is there to say yes to a rollback. */
const toolsOfWeave = (execution: string, hank: string): readonly (readonly [string, object, RegExp])[] => [
  ['list_executions', {}, /"status":"completed"/],
  ['get_execution', { execution }, /"isLive":false/],
  ['read_journal', { execution, limit: 5 }, /"lastSeq":5/],
  ['wait_for', { execution, seconds: 1 }, /"hit":true/],
  ['list_checkpoints', { execution }, /"codonId":"two"/],
  ['diff_checkpoints', { execution, from: 'one', to: 'two', path: 'two.md' }, /two\.md/],
  ['read_file', { execution, checkpoint: 'end', path: 'one.md' }, /"isBinary":false/],
  ['cost_report', { execution }, /"totals"/],
  ['list_models', { filter: 'sonnet' }, /sonnet/],
  ['validate_hank', { hank }, /"valid":true/],
  ['plan_hank', { hank }, /"structure"/],
  ['preview_rollback', { execution, to: 'one' }, /"token"/],
  ['rehearse_hank', { hank, seconds: 60 }, /"status":"completed"/],
  ['rollback', { execution, to: 'one' }, /DECLINED/],
]

describe('MCP servers for agents', () => {
  verifies(
    ['mcp-servers/both-agents', 'mcp-servers/limits', 'mcp-servers/end-with-codon', 'mcp-servers/masked'],
    'give their tools to the codons that the operator names, within limits, and leave nothing behind',
    async () => {
      const steps = [greet('greet'), { say: 'Done.' }]
      const at = await hankFolder(
        [
          codon('claude', { model: models.claude }),
          codon('pi', { model: models.pi }),
          codon('alone', { model: models.claude }),
        ],
        {
          'greeter.cjs': toolServer,
          'weave.json': {
            mcpServers: {
              greeter: { ...greeter, codons: ['claude', 'pi'], tools: ['greet'] },
              gone: { command: ['no-such-program-anywhere'] },
            },
          },
          'rehearsal.json': {
            codons: {
              claude: [greet('greet'), greet('shout'), { say: 'Done.' }],
              pi: steps,
              alone: [{ say: 'Done.' }],
            },
          },
        },
      )
      const there = at.with({ GREETER_PATH: at.path('greeter.cjs'), OUTSIDE_GREETING: secret })
      const run = there.rehearse('--headless')
      expect(run.status, run.stderr).toBe(0)
      const results = at.events('tool.result').map(({ data }) => data)
      const ofCodon = (id: string) => results.filter(data => data['codonId'] === id)
      for (const id of ['claude', 'pi']) {
        const said = String(ofCodon(id)[0]?.['result'])
        expect(said).toContain(`greet you from ${at.cwd} with [redacted:`)
        expect(said).toContain('told in the open: false')
      }
      expect(String(ofCodon('claude')[1]?.['result'])).toContain('The operator allows only these tools')
      expect(JSON.stringify(at.events())).not.toContain(secret)
      expect(leftovers(at.execution())).toEqual([])
      expect(started(at).length).toBeGreaterThanOrEqual(4)
      expect(started(at).filter(alive)).toEqual([])
    },
    patience,
  )

  verifies(
    ['mcp-servers/end-with-codon'],
    'carry the marks of their codon, and are gone when weave is killed',
    async () => {
      for (const model of Object.values(models)) {
        const at = await hankFolder([codon('one', { model })], {
          'greeter.cjs': toolServer,
          'weave.json': { mcpServers: { greeter } },
          'rehearsal.json': { codons: { one: [greet('greet'), bash('echo begun > begun.md; sleep 300')] } },
        })
        const there = at.with({ GREETER_PATH: at.path('greeter.cjs'), OUTSIDE_GREETING: secret })
        const run = there.start('rehearse', '--headless')
        await vi.waitFor(() => expect(at.read('begun.md'), run.said()).toBe('begun\n'), { timeout: 60_000 })
        const pids = started(at)
        // One server and what it has left: none is started twice.
        expect(pids).toHaveLength(2)
        expect(leftovers(at.execution())).toEqual(expect.arrayContaining([...pids]))
        await run.kill('SIGKILL')
        await vi.waitFor(() => expect(pids.filter(alive)).toEqual([]), { timeout: 10_000 })
      }
    },
    patience,
  )

  verifies(
    ['mcp-servers/both-agents', 'mcp-servers/masked', 'mcp/every-tool', 'mcp/confirmed'],
    'may be weave itself: as a program for Claude Code, which calls every tool, and at an address for both SDKs',
    async () => {
      const other = await hankFolder([codon('one'), codon('two')])
      expect((await other.scripted('--headless')).status).toBe(0)
      const execution = basename(other.execution())
      const http = other.start('mcp', '--http')
      const [, port = ''] = /127\.0\.0\.1:(\d+)\/mcp/.exec(await http.until(/token .*\n/)) ?? []
      const token = readFileSync(other.path('home/.weave/mcp-token'), 'utf8').trim()
      const far = [call('mcp__far__list_executions'), { say: 'Done.' }]
      const at = await hankFolder(
        Object.entries(models).map(([id, model]) => codon(id, { model })),
        {
          'weave.json': {
            mcpServers: {
              near: {
                command: [process.execPath, launcher, 'mcp', '--hanks', other.cwd, '--allow', 'steer'],
                env: { HOME: other.path('home') },
                codons: ['claude'],
              },
              far: {
                url: `http://127.0.0.1:${word('FAR_PORT')}/mcp`,
                headers: { authorization: `Bearer ${word('FAR_TOKEN')}` },
              },
            },
          },
          'rehearsal.json': {
            codons: {
              claude: [
                ...toolsOfWeave(execution, other.cwd).map(([name, input]) =>
                  call(`mcp__near__${name}`, input),
                ),
                ...far,
              ],
              pi: far,
            },
          },
        },
      )
      const run = at.with({ FAR_PORT: port, FAR_TOKEN: token }).rehearse('--headless')
      expect(run.status, run.stderr).toBe(0)
      const journal = jsonLines(at.weave('journal', at.execution(), '--json').stdout)
      const results = journal.filter(({ type }) => type === 'tool.result').map(({ data }) => data)
      for (const id of Object.keys(models))
        expect(
          String(
            results.find(
              data => data['codonId'] === id && data['toolName'] === 'mcp__far__list_executions',
            )?.['result'],
          ),
        ).toContain(execution)
      for (const [name, , answer] of toolsOfWeave(execution, other.cwd))
        expect(
          String(results.find(data => data['toolName'] === `mcp__near__${name}`)?.['result']),
          name,
        ).toMatch(answer)
      expect(other.events('rollback.completed')).toEqual([])
      expect(JSON.stringify(at.events())).not.toContain(token)
    },
    patience,
  )

  verifies(
    ['mcp-servers/both-agents'],
    'are told to an agent that speaks ACP in its own words',
    async () => {
      const at = await hankFolder([codon('one', { model: 'acp/scripted/claude-sonnet-4-5' })], {
        'weave.json': { ...scriptedAgents, mcpServers: { greeter, far } },
        'rehearsal.json': { codons: { one: [{ say: 'Done.' }] } },
      })
      const there = at.with({ GREETER_PATH: at.path('greeter.cjs'), OUTSIDE_GREETING: secret })
      const run = there.rehearse('--headless')
      expect(run.status, run.stderr).toBe(0)
      const told = JSON.parse(at.read('told-servers.json') ?? '[]') as { env: object[]; args: string[] }[]
      expect(told).toMatchObject([
        { name: 'greeter', command: 'sh' },
        { type: 'http', name: 'far', url: far.url, headers: [{ name: 'x-greeting', value: secret }] },
      ])
      expect(told[0]?.args.slice(-2)).toEqual([process.execPath, at.path('greeter.cjs')])
      expect(told[0]?.env).toContainEqual({ name: 'GREETER_TOKEN', value: secret })
    },
    patience,
  )

  verifies(
    ['mcp-servers/shown', 'mcp-servers/checked', 'mcp-servers/masked'],
    'are shown and checked before a run, without being started',
    async () => {
      const at = await hankFolder([codon('writing', { model: models.claude })], {
        'weave.json': { mcpServers: { greeter: { ...greeter, codons: ['writing'] } } },
      })
      const there = at.with({ GREETER_PATH: at.path('greeter.cjs'), OUTSIDE_GREETING: secret })
      const good = there.weave('validate', '--skip-self-test')
      expect(good.stdout).toContain('tools of greeter')
      expect(good.stdout).toMatch(/MCP servers\n {2}greeter .*GREETER_PATH/)
      expect(good.stdout).not.toContain(secret)
      const verdict = there.weave('validate', '--skip-self-test', '--json')
      expect(JSON.parse(verdict.stdout)).toMatchObject({
        mcpServers: [{ name: 'greeter', command: greeter.command, codons: ['writing'] }],
      })
      expect(verdict.stdout).not.toContain(secret)

      const problems = (weave: object, from = there) => {
        at.write({ 'weave.json': weave })
        const { problems: found } = JSON.parse(
          from.weave('validate', '--skip-self-test', '--json').stdout,
        ) as {
          problems: { where: string; message: string; place?: { line: number } }[]
        }
        return found.filter(({ where }) => where.startsWith('mcpServers'))
      }
      expect(problems({ mcpServers: { greeter: { ...greeter, codons: ['wirting'] } } })).toMatchObject([
        {
          where: 'mcpServers.greeter.codons.0',
          message: 'the hank has no codon "wirting". Did you mean "writing"?',
        },
      ])
      expect(problems({ mcpServers: { greeter } }, at)).toMatchObject([
        { message: 'the variable GREETER_PATH is not set' },
        { message: 'the variable OUTSIDE_GREETING is not set' },
      ])
      const away = problems({ mcpServers: { away: { url: 'http://example.com/mcp' } } })
      expect(away[0]?.message).toContain('https://')
      expect(problems({ mcpServers: { a__b: greeter } })).toHaveLength(1)
      at.setHank([codon('writing', { model: 'acp/scripted/claude-sonnet-4-5' })])
      const acp = { ...scriptedAgents, mcpServers: { greeter: { ...greeter, tools: ['greet'] } } }
      expect(problems(acp)).toMatchObject([{ where: 'mcpServers.greeter.tools' }])
    },
    patience,
  )
})
