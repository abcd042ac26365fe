import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { scriptedAgents, scriptedRow } from '../support/scripted-acp.ts'
import { bash, type Scene, say, stage, told } from './agents-stage.ts'

const longest = 180_000
const limited = { kind: 'error', status: 403, message: 'No.' } as const
const ignored = { onFailure: 'ignore' }
const lying = (lie: string, rest: object = {}) => ({ ...ignored, env: { LIE: lie }, ...rest })

/** One run for all: each codon is worked on by an agent that does something wrong. */
const scenes: readonly Scene[] = [
  { id: 'turn', codon: lying('end-turn'), answers: [limited] },
  { id: 'nothing', codon: lying('nothing-asked'), answers: [] },
  { id: 'open', codon: lying('no-update'), answers: [bash('true'), say('Done.')] },
  { id: 'code', codon: {}, answers: [bash('echo words; exit 3'), say('Done.')] },
  { id: 'long', codon: lying('long-line'), answers: [say('Done.')] },
  { id: 'endless', codon: lying('endless-line'), answers: [say('Done.')] },
  { id: 'chatty', codon: lying('chatter'), answers: [say('Done.')] },
  { id: 'dead', codon: lying('death'), answers: [bash('true')] },
  { id: 'tokens', codon: lying('max_tokens'), answers: [say('Half')] },
  { id: 'refused', codon: lying('refusal'), answers: [say('No')] },
  { id: 'version', codon: lying('version-2'), answers: [] },
  { id: 'asking', codon: lying('permission'), answers: [say('Done.')] },
  { id: 'again', codon: lying('end-turn', { autoCompact: true }), answers: [{ kind: 'overflow' }] },
  {
    id: 'secret',
    codon: {},
    answers: [bash('echo "it is $ANTHROPIC_API_KEY, $OF_THE_ROW_TOKEN"'), say('Done.')],
  },
  { id: 'first', codon: {}, answers: [say('First.', { input: 100, output: 10 })] },
  {
    id: 'loaded',
    codon: { continuationMode: 'continue-previous', env: { LIE: 'load' } },
    answers: [say('Second.')],
  },
]

describe('an agent that speaks ACP', () => {
  verifies(
    [
      'acp/end-turn-lie',
      'acp/open-tools',
      'acp/exit-codes',
      'acp/long-lines',
      'acp/death',
      'acp/stop-reasons',
      'acp/version',
      'acp/permission',
      'acp/load',
      'acp/home',
      'acp/ledger',
      'acp/secrets',
    ],
    'is believed only as far as the meter agrees',
    async () => {
      const at = await stage({ agent: 'ACP', scenes })
      await at.run.ended
      const journal = at.journal()
      const failure = (id: string) => told(journal, 'codon.completed', id).at(-1)?.['failureReason']
      const succeeded = (id: string) => told(journal, 'codon.completed', id).at(-1)?.['success']

      expect(failure('turn'), at.run.said()).toMatchObject({
        type: 'api-error',
        retriable: false,
        message: 'No.',
      })
      expect(failure('nothing')).toMatchObject({
        message: expect.stringContaining('without having asked its model') as string,
      })
      expect(succeeded('open')).toBe(true)
      expect(told(journal, 'tool.result', 'open')).toMatchObject([{ isError: true }])
      expect(told(journal, 'tool.result', 'code')).toMatchObject([{ isError: true }])
      expect(succeeded('long')).toBe(true)
      expect(failure('endless')).toMatchObject({ message: expect.stringContaining('16 MiB') as string })
      expect(succeeded('chatty')).toBe(true)
      expect(failure('dead')).toMatchObject({
        retriable: true,
        message: expect.stringContaining('SIGKILL') as string,
      })
      expect(failure('tokens')).toMatchObject({
        retriable: false,
        message: expect.stringContaining('max_tokens') as string,
      })
      expect(failure('refused')).toMatchObject({
        retriable: false,
        message: expect.stringContaining('refusal') as string,
      })
      expect(failure('version')).toMatchObject({
        message: expect.stringContaining('version 2 of ACP') as string,
      })
      expect(at.asked('version')).toHaveLength(0)
      expect(succeeded('asking')).toBe(true)
      expect(failure('again')).toMatchObject({ message: 'The context is full.' })

      expect(JSON.stringify(told(journal, 'tool.result', 'secret'))).toContain('it is ')
      expect(JSON.stringify(journal)).not.toMatch(/a-key-of-ours-0123|a-token-of-the-row/)

      expect(told(journal, 'token.usage', 'first')).toMatchObject([{ inputTokens: 100, outputTokens: 10 }])
      const said = told(journal, 'assistant.action', 'loaded').map(data => JSON.stringify(data))
      expect(succeeded('loaded')).toBe(true)
      expect(said.some(text => text.includes('Second.'))).toBe(true)
      expect(said.some(text => text.includes('What was said before.'))).toBe(false)
    },
    longest,
  )

  verifies(
    ['acp/deaf'],
    'and does not heed is gone soon after it is to stop',
    async () => {
      const at = await stage({
        agent: 'ACP',
        scenes: [
          {
            id: 'deaf',
            codon: { env: { LIE: 'deaf' }, shimIdleTimeout: 1, ...ignored },
            answers: [{ kind: 'hang', seconds: 90 }],
          },
        ],
      })
      const begun = Date.now()
      await at.run.ended
      expect(told(at.journal(), 'codon.completed', 'deaf')).toMatchObject([
        { failureReason: { type: 'timeout' } },
      ])
      expect(Date.now() - begun).toBeLessThan(25_000)
    },
    longest,
  )
})

describe('a hank with agents that speak ACP', () => {
  verifies(
    ['acp/unknown-agent', 'acp/other-dialect', 'acp/missing', 'acp/no-resume', 'acp/own-model', 'acp/name'],
    'is checked before it runs',
    async () => {
      const model = (name: string) => [codon('a', { model: name })]
      const at = await hankFolder(model('acp/gemni/gemini-2.5-pro'), { 'weave.json': scriptedAgents })
      const there = at.with({
        PATH: process.env['PATH'] ?? '',
        ANTHROPIC_API_KEY: 'k'.repeat(20),
        GEMINI_API_KEY: 'k'.repeat(20),
        OPENAI_API_KEY: 'k'.repeat(20),
      })
      const said = (hank: readonly object[]) => {
        at.setHank(hank)
        const { stdout, stderr } = there.weave('validate', '--skip-self-test')
        return stdout + stderr
      }
      expect(said(model('acp/gemni/gemini-2.5-pro'))).toMatch(
        /There is no agent "gemni"\. Did you mean gemini\?/,
      )
      expect(said(model('acp/gemini/claude-sonnet-4-5'))).toContain('asks its provider as Google is asked')
      expect(said(model('acp/gemini'))).toContain('A model is missing after acp/gemini/')
      expect(said(model('acp/codex/gpt-5'))).toContain('weave harness add codex')
      expect(said(model('acp/scripted/a-model-of-its-own'))).toContain('Configuration is valid!')
      const twice = [
        codon('a', { model: 'acp/gemini/gemini-2.5-pro' }),
        codon('b', { model: 'acp/gemini/gemini-2.5-pro', continuationMode: 'continue-previous' }),
      ]
      expect(said(twice)).toContain(
        'the agent gemini cannot continue a conversation. Set continuationMode to "fresh".',
      )
      at.setHank(model('acp/scripted/sonnet'))
      const verdict = there.weave('validate', '--skip-self-test', '--format', 'json')
      expect(verdict.stdout).toMatch(/"acp:scripted\/anthropic\/claude-sonnet-/)
    },
    longest,
  )

  verifies(
    ['acp/validate-starts-nothing', 'acp/own-login-budget', 'acp/own-login-rehearsal', 'acp/rows-metered'],
    'starts no command for a check, and knows what a login of its own means',
    async () => {
      const at = await hankFolder([codon('a', { model: 'acp/mine/some-model' })])
      const trace = at.path('started')
      const program = at.path('agent.sh')
      writeFileSync(program, `#!/bin/sh\necho started >> ${trace}\n`, { mode: 0o755 })
      const row = { command: [program], dialect: 'none' }
      at.write({ 'weave.json': { agents: { mine: row } } })
      const good = at.weave('validate')
      expect(good.status, good.stderr + good.stdout).toBe(0)
      expect(existsSync(trace)).toBe(false)
      const limit = at.weave('validate', '--max-cost', '5')
      expect(limit.stdout + limit.stderr).toContain('no dollar limit can stop it')
      expect(at.rehearse('--headless').stderr).toContain('which a rehearsal cannot lead elsewhere')
      at.write({ 'weave.json': { agents: { mine: { ...row, dialect: 'openai' } } } })
      const unmetered = at.weave('validate')
      expect(unmetered.stdout + unmetered.stderr).toContain(
        'so that the agent asks where its usage is counted',
      )
      expect(existsSync(trace)).toBe(false)
    },
    longest,
  )

  verifies(
    ['acp/rehearsal', 'acp/rows', 'acp/mixed', 'acp/home', 'acp/fork'],
    'is rehearsed with the other harnesses, and rolled back in the middle',
    async () => {
      const files = { checkpointedFiles: ['**/*'] }
      const row = { ...scriptedRow, files: { 'own/settings.json': `{"auto": \${autoCompact}}` } }
      const at = await hankFolder(
        [
          codon('claude', { model: 'claude-sonnet-4-5', ...files }),
          codon('acp', { model: 'acp/scripted/claude-sonnet-4-5', ...files }),
          codon('more', {
            model: 'acp/scripted/claude-sonnet-4-5',
            continuationMode: 'continue-previous',
            ...files,
          }),
          codon('pi', { model: 'pi/anthropic/claude-sonnet-4-5', ...files }),
        ],
        { 'weave.json': { agents: { scripted: row } } },
      )
      const first = at.rehearse('--headless')
      expect(first.status, first.stderr).toBe(0)
      for (const id of ['claude', 'acp', 'more', 'pi'])
        expect(at.read(`rehearsal/${id}.md`)).toContain(`# ${id}`)
      const home = at.execution('.weave/agents/acp-scripted')
      expect(existsSync(home)).toBe(true)
      const back = at.weave('rollback', 'acp', '-y')
      expect(back.status, back.stderr + back.stdout).toBe(0)
      expect(at.read('rehearsal/more.md')).toBeUndefined()
      const again = at.rehearse('--headless')
      expect(again.status, again.stderr + again.stdout).toBe(0)
      expect(at.read('rehearsal/pi.md')).toContain('# pi')
      const sessions = at.events('codon.started').filter(({ data }) => data['codonId'] === 'more')
      expect(sessions).toHaveLength(2)
      expect(sessions[0]?.data['previousSessionId']).toBe(sessions[1]?.data['previousSessionId'])
      expect(readFileSync(at.path('weave.json'), 'utf8')).toContain('own/settings.json')
    },
    longest,
  )
})
