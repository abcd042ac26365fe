import { basename } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, rig } from '../support/hank-folder.ts'
import { eras, type McpClient, mcpClient, type Said } from '../support/mcp-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

/** What weave does through MCP only when a person says so: steering, going on, gates. */

const longest = 180_000
beforeAll(scriptedWeave, 120_000)

const codeOf = async (client: McpClient, tool: string, args: object) =>
  (await client.call(tool, args)).structuredContent.error?.code

describe('steering through MCP', () => {
  verifies(
    ['mcp/steers', 'mcp/every-tool'],
    'tells a run what to do next after a yes or with a token, for clients of every era',
    async () => {
      for (const era of eras) {
        const at = await hankFolder([codon('one'), codon('two', { promptText: 'Work. Then hang.' })])
        const run = await at.serve()
        const execution = basename(run.dir)
        const words = ['--allow', 'run,steer', '--max-cost', '1']
        let says: Said = 'no'
        const client = await mcpClient(at, { era, words, says: () => says })
        const started = () => at.events('codon.started').map(({ data }) => data['codonId'])
        const completed = () => at.events('codon.completed').length
        expect(await codeOf(client, 'steer_run', { execution, action: 'next' })).toBe('DECLINED')
        expect(started()).toEqual([])
        says = 'yes'
        const next = await client.call('steer_run', { execution, action: 'next' })
        expect(next.structuredContent).toMatchObject({ execution, action: 'next' })
        await client.call('wait_for', { execution, until: ['codon.completed'] })
        expect(completed()).toBe(1)
        const before = at.events().at(-1)?.seq
        expect(await codeOf(client, 'steer_run', { execution, action: 'redo' })).toBeUndefined()
        await client.call('wait_for', { execution, since: before, until: ['codon.completed'] })
        expect(started()).toEqual(['one', 'one'])

        const silent = await mcpClient(at, { era, words })
        const refused = await silent.call('steer_run', { execution, action: 'next' })
        const { code, token } = refused.structuredContent.error ?? {}
        expect(code).toBe('CONFIRMATION_REQUIRED')
        expect(await codeOf(silent, 'steer_run', { execution, action: 'redo', token })).toBe('STALE_PREVIEW')
        const again = await silent.call('steer_run', { execution, action: 'next' })
        const fresh = again.structuredContent.error?.token
        expect(await codeOf(silent, 'steer_run', { execution, action: 'next', token: fresh })).toBeUndefined()
        expect(await codeOf(silent, 'steer_run', { execution, action: 'next', token: fresh })).toBe(
          'STALE_PREVIEW',
        )
        await client.call('wait_for', { execution, since: before, until: ['file.updated'], seconds: 5 })
        expect(await codeOf(client, 'steer_run', { execution, action: 'forceStop' })).toBeUndefined()
        expect(started()).toEqual(['one', 'one', 'two'])

        const unpaid = await mcpClient(at, { era, words: ['--allow', 'steer'], says: () => 'yes' })
        expect(await codeOf(unpaid, 'steer_run', { execution, action: 'redo' })).toBe('NOT_ALLOWED')
        await Promise.all([client, silent, unpaid].map(each => each.close()))
        await run.kill('SIGTERM')
      }
    },
    longest,
  )

  verifies(
    ['mcp/resumes', 'mcp/every-tool'],
    'goes on with an execution where it stopped',
    async () => {
      const at = await hankFolder([codon('one', rig('test -e "$HOME/ready"'))], {
        'rehearsal.json': { codons: { one: [{ say: 'Done.' }] } },
        'home/.keep': '',
      })
      const words = ['--allow', 'run', '--max-cost', '1']
      const client = await mcpClient(at, { era: 'older', words })
      const failed = await client.call('rehearse_hank', { hank: '.' })
      expect(failed.structuredContent).toMatchObject({ status: 'failed' })
      const { execution } = failed.structuredContent
      const since = at.events().at(-1)?.seq
      at.write({ 'home/ready': '' })
      const resumed = await client.call('resume_run', { execution })
      expect(resumed.structuredContent, JSON.stringify(resumed.content)).toMatchObject({ execution })
      await client.call('wait_for', { execution, since, until: 'end', seconds: 50 })
      const { structuredContent } = await client.call('get_execution', { execution })
      expect(structuredContent['status'], 'its process has ended, too').toBe('completed')
      expect(at.executions()).toHaveLength(1)
    },
    longest,
  )
})

describe('gates through MCP', () => {
  verifies(
    ['mcp/gates', 'mcp/every-tool'],
    'are decided by what a person fills in, and by nothing else',
    async () => {
      for (const era of eras) {
        const at = await hankFolder([codon('plan'), codon('publish')], {
          'weave.json': { gates: [{ id: 'plan-ok', before: 'publish', message: 'Read plan.md.' }] },
        })
        expect((await at.scripted('--on-gate', 'exit', '--headless')).status).toBe(3)
        const execution = basename(at.execution())
        const words = ['--allow', 'gates,steer,run', '--max-cost', '1']
        const decided = () => at.events('gate.decided').map(({ data }) => data)

        const silent = await mcpClient(at, { era, words })
        expect(await codeOf(silent, 'decide_gate', { execution })).toBe('CONFIRMATION_REQUIRED')
        const smuggled = { execution, token: 'x', decision: 'approve', confirm: true }
        expect((await silent.call('decide_gate', smuggled)).isError).toBe(true)
        const asked: string[] = []
        let says: Said = 'decline'
        const answer = (message: string) => {
          asked.push(message)
          return says
        }
        const client = await mcpClient(at, { era, words, says: answer })
        expect(await codeOf(client, 'decide_gate', { execution, gate: 'other' })).toBe('UNKNOWN_GATE')
        expect(asked).toEqual([])
        expect(await codeOf(client, 'decide_gate', { execution })).toBe('DECLINED')
        says = { decision: 'perhaps' }
        expect((await client.call('decide_gate', { execution })).isError).toBe(true)
        expect(decided()).toEqual([])
        says = { decision: 'approve', note: 'fine' }
        const yes = await client.call('decide_gate', { execution })
        expect(yes.structuredContent, JSON.stringify(yes.content)).toMatchObject({ decision: 'approve' })
        expect(asked.at(-1)).toContain('Read plan.md.')
        expect(decided()).toMatchObject([{ gateId: 'plan-ok', decision: 'approved', note: 'fine' }])
        expect(await codeOf(client, 'decide_gate', { execution })).toBe('UNKNOWN_GATE')
        await Promise.all([client.close(), silent.close()])
      }
    },
    longest,
  )

  verifies(
    ['mcp/gates'],
    'hold a run that goes on: next does not pass one, a rejection of a person stops it',
    async () => {
      const at = await hankFolder([codon('plan'), codon('publish')], {
        'weave.json': { gates: [{ id: 'plan-ok', before: 'publish' }] },
      })
      const run = await at.startScripted('--headless')
      await run.until('waiting at gate')
      const execution = basename(at.execution())
      const words = ['--allow', 'gates,steer,run', '--max-cost', '1']
      const client = await mcpClient(at, {
        words,
        says: message => (message.includes('gate') ? { decision: 'reject', note: 'too short' } : 'yes'),
      })
      expect(await codeOf(client, 'steer_run', { execution, action: 'next' })).toBe('NOT_ALLOWED')
      expect(at.events('gate.decided')).toEqual([])
      expect((await client.call('decide_gate', { execution })).structuredContent).toMatchObject({
        decision: 'reject',
      })
      await run.ended
      expect(at.events('gate.decided')[0]?.data).toMatchObject({ decision: 'rejected', note: 'too short' })
      expect(at.events('codon.started').map(({ data }) => data['codonId'])).toEqual(['plan'])
    },
    longest,
  )
})
