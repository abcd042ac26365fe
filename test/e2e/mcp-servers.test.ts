import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { scriptedAgents } from '../support/scripted-acp.ts'

/** MCP servers that the operator gives to agents: real agents, real servers, and a model that is a script. */

const patience = 180_000

/** A server of tools in a few lines, which also leaves a process behind, as servers do. */
const toolServer = `
const { createInterface } = require('node:readline')
const { spawn } = require('node:child_process')
const { readFileSync } = require('node:fs')
spawn('sleep', ['300'], { stdio: 'ignore', detached: true }).unref()
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
const greet = (tool: string) => ({ call: { name: `mcp__greeter__${tool}`, input: { who: 'you' } } })

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
    },
    patience,
  )

  verifies(
    ['mcp-servers/both-agents'],
    'are told to an agent that speaks ACP in its own words',
    async () => {
      const at = await hankFolder([codon('one', { model: 'acp/scripted/claude-sonnet-4-5' })], {
        'weave.json': { ...scriptedAgents, mcpServers: { greeter } },
        'rehearsal.json': { codons: { one: [{ say: 'Done.' }] } },
      })
      const there = at.with({ GREETER_PATH: at.path('greeter.cjs'), OUTSIDE_GREETING: secret })
      const run = there.rehearse('--headless')
      expect(run.status, run.stderr).toBe(0)
      const told = JSON.parse(at.read('told-servers.json') ?? '[]') as { env: object[]; args: string[] }[]
      expect(told).toMatchObject([{ name: 'greeter', command: 'sh' }])
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
