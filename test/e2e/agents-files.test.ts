import { describe, expect, onTestFinished } from 'vitest'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, type StoredEvent } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { say } from './agents-stage.ts'

/** Real agents with real files of theirs in the workspace, against a model on loopback. */

const patience = 120_000

/** A server of tools in a few lines, as people write them. */
const toolServer = `
const { createInterface } = require('node:readline')
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  const answer = result => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'greeter', version: '1' } })
  else if (method === 'tools/list') answer({ tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object', properties: {} } }] })
  else if (method === 'tools/call') answer({ content: [{ type: 'text', text: 'Good day from ' + process.env.GREETER }] })
})
`

const workspace = {
  'kit/CLAUDE.md': 'Words of the workspace: be brief.\n',
  'kit/.mcp.json': {
    mcpServers: { greeter: { command: 'node', args: ['greeter.cjs'], env: { GREETER: 'the rig' } } },
  },
  'kit/greeter.cjs': toolServer,
  'kit/.claude/agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nYou are the helper inside.\n',
  'kit/.claude/settings.json': {
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            { type: 'command', command: 'echo "$WEAVE_CODON_ID" > hook.md; sleep 300 >/dev/null 2>&1 &' },
          ],
        },
      ],
    },
  },
}
const placed = ['CLAUDE.md', '.mcp.json', 'greeter.cjs', '.claude']
const rigSetup = placed.map(name => ({ type: 'copy', copy: { from: `kit/${name}`, to: name } }))

function call(name: string, input: object, usage = { input: 100, output: 20 }): Answer {
  return { kind: 'message', parts: [{ kind: 'call', name, input }], usage }
}

function sumOf(events: readonly StoredEvent[], field: string): number {
  return events.reduce((sum, { data }) => sum + Number(data[field]), 0)
}

describe('what lies in the workspace', () => {
  verifies(
    [
      'agents/claude-whole-preset',
      'agents/claude-workspace-words',
      'agents/claude-mcp',
      'agents/subagents-counted',
      'agents/hooks-as-agent',
      'agents/not-above',
    ],
    'is read by the Claude agent, servers, agents and hooks included: all of it is counted, rolled back, and nothing is left',
    async () => {
      const answers = [
        call('mcp__greeter__greet', {}),
        call('Agent', { description: 'help', prompt: 'Help me.', subagent_type: 'helper' }),
        call('Bash', { command: 'echo done > work.md; (sleep 300 &) ' }),
        say('All done.', { input: 100, output: 20 }),
      ]
      let asked = 0
      const respond = (request: ModelRequest): Answer =>
        request.system.includes('You are the helper inside.')
          ? say('I helped.', { input: 5_000, output: 700 })
          : (answers[asked++] ?? say('Still done.'))
      const server = await startRecordedServer({ clock: systemClock, respond })
      onTestFinished(() => server.close())
      const fields = { model: 'claude-sonnet-4-5', rigSetup, checkpointedFiles: ['*.md', '.claude'] }
      const at = await hankFolder([codon('build', fields)], workspace)
      at.write({ 'home/CLAUDE.md': 'Words from above.', 'home/.claude/CLAUDE.md': 'Words from above.' })
      const there = at.with({ ANTHROPIC_API_KEY: 'a-key-of-ours-0123', ANTHROPIC_BASE_URL: server.url })
      const run = there.start('--headless', '--skip-self-test')
      expect(await run.ended, run.said()).toBe(0)

      const bodies = server.requests.map(({ body }) => JSON.stringify(body))
      expect(bodies[0]).toContain('Words of the workspace: be brief.')
      expect(bodies.join()).not.toContain('Words from above.')
      expect(bodies[0]).toContain('WebSearch')
      const results = at.events('tool.result').map(({ data }) => String(data['result']))
      expect(results[0]).toContain('Good day from the rig')
      expect(at.read('work.md')).toBe('done\n')
      expect(at.read('hook.md'), 'a hook runs as a process of the agent').toBe('build\n')

      const usage = at.events('token.usage')
      expect(sumOf(usage, 'inputTokens')).toBe(5_400)
      expect(sumOf(usage, 'outputTokens')).toBe(780)
      expect(Number(usage.at(-1)?.data['totalCost'])).toBeCloseTo((5_400 * 3 + 780 * 15) / 1e6, 9)
      expect(leftovers(at.execution())).toEqual([])

      expect(there.weave('rollback', 'build:rig-setup', '-y').status).toBe(0)
      expect(at.read('work.md')).toBeUndefined()
      expect(at.read('CLAUDE.md')).toBe('Words of the workspace: be brief.\n')
    },
    patience,
  )

  verifies(
    ['agents/not-above', 'agents/above-told'],
    'is not read by the Claude agent where others’ settings lie above it, and a warning says so',
    async () => {
      const server = await startRecordedServer({ clock: systemClock, respond: () => say('Done.') })
      onTestFinished(() => server.close())
      const at = await hankFolder([codon('build', { model: 'claude-sonnet-4-5', rigSetup })], workspace)
      const there = at.with({ ANTHROPIC_API_KEY: 'a-key-of-ours-0123', ANTHROPIC_BASE_URL: server.url })
      const quiet = there.weave('validate', '--skip-self-test')
      expect(quiet.stdout + quiet.stderr).not.toContain('lies above')
      at.write({ 'home/.weave-executions/.claude/agents/stranger.md': 'A stranger from above.' })
      const told = there.weave('validate', '--skip-self-test')
      expect(told.status).toBe(0)
      expect(told.stdout + told.stderr).toContain('.weave-executions/.claude lies above the workspaces')
      const run = there.start('--headless', '--skip-self-test')
      expect(await run.ended, run.said()).toBe(0)
      const bodies = server.requests.map(({ body }) => JSON.stringify(body)).join()
      expect(bodies).not.toContain('Words of the workspace')
      expect(bodies).not.toContain('stranger from above')
    },
    patience,
  )
})
