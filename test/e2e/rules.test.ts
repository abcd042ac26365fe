import { chmodSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  bash,
  codon,
  type HankFolder,
  hankFolder,
  lightAgents,
  lightCodon,
  type StoredEvent,
  sentinel,
} from '../support/hank-folder.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

const longest = 120_000

/** Met by the first result of a tool. */
const onResult = { trigger: { type: 'event', on: ['tool.result'] } }

function types(at: HankFolder, ...wanted: readonly string[]): readonly string[] {
  return at.events().flatMap(({ type }) => (wanted.includes(type) ? [type] : []))
}

function timeOf(event: StoredEvent | undefined): number {
  return Date.parse(String((event as { timestamp?: string } | undefined)?.timestamp))
}

describe('rules of an operator in a run', () => {
  verifies(
    ['rules/stop', 'rules/told-first', 'rules/same-as-tested', 'rules/test-command'],
    'stop ends the codon within a second and waits at a gate; going on passes the codon over',
    async () => {
      const at = await hankFolder([codon('one', { promptText: 'Work on one. Then hang.' }), codon('two')], {
        'weave.json': {
          rules: [{ id: 'enough', ...onResult, codons: ['one'], do: 'stop', message: 'It wrote.' }],
        },
      })
      const run = await at.startScripted('--headless')
      await run.until('waiting at gate hold-1')
      const [fired] = at.events('rule.fired')
      const [result] = at.events('tool.result')
      const [ended] = at.events('codon.completed')
      expect(fired?.data).toEqual({
        ruleId: 'enough',
        codonId: 'one',
        do: 'stop',
        hits: 1,
        evidence: [result?.seq],
      })
      expect(timeOf(ended) - timeOf(result)).toBeLessThan(1_000)
      expect(ended?.data).toMatchObject({
        success: false,
        failureReason: { message: expect.stringContaining('rule enough') },
      })
      expect(types(at, 'rule.fired', 'gate.armed', 'codon.completed', 'gate.waiting')).toEqual([
        'rule.fired',
        'gate.armed',
        'codon.completed',
        'gate.waiting',
      ])
      expect(at.events('gate.waiting')[0]?.data).toMatchObject({
        message: 'It wrote.',
        codonId: 'one',
        next: 'two',
      })
      expect(at.weave('gate', 'approve')).toMatchObject({ status: 0 })
      await run.until('codon two started')
      await run.ended
      expect(at.events('codon.completed').map(({ data }) => [data['codonId'], data['success']])).toEqual([
        ['one', false],
        ['two', true],
      ])
      const tried = at.weave('rules', 'test')
      expect(tried.status).toBe(0)
      expect(tried.stdout).toMatch(/stop +enough +one +1 hit: seq \d+/)
      expect(tried.stdout).toContain('would have fired 1 time')
      const rows = JSON.parse(at.weave('rules', 'test', '--json').stdout)
      expect(rows.map(({ codonId, seq }: { codonId: string; seq: number }) => [codonId, seq])).toEqual(
        at.events('rule.fired').map(({ data }) => [data['codonId'], (data['evidence'] as number[])[0]]),
      )
    },
    longest,
  )

  verifies(
    ['rules/hold', 'detach/wait-gate'],
    'hold lets the codon end, waits before the next one, and goes on when a person says so',
    async () => {
      const at = await hankFolder([codon('one'), codon('two')], {
        'weave.json': { rules: [{ id: 'look', ...onResult, codons: ['one'], do: 'hold' }] },
      })
      const run = await at.startScripted('--headless')
      await run.until('Clients ')
      const waited = at.start('wait')
      expect(await waited.ended).toBe(3)
      expect(waited.said()).toContain('It waits for a person at gate hold-1')
      expect(at.weave('wait').status).toBe(3)
      await run.until('waiting at gate hold-1')
      expect(types(at, 'rule.fired', 'codon.completed', 'gate.waiting')).toEqual([
        'rule.fired',
        'codon.completed',
        'gate.waiting',
      ])
      expect(at.events('codon.completed')[0]?.data).toMatchObject({ codonId: 'one', success: true })
      expect(at.events('gate.armed')[0]?.data).toMatchObject({
        message: 'Rule look was met.',
        by: { via: 'rule', ruleId: 'look' },
      })
      expect(at.weave('gate', 'approve')).toMatchObject({ status: 0 })
      expect(await run.ended).toBe(0)
    },
    longest,
  )

  verifies(
    ['rules/notify', 'rules/sentinel'],
    'notify tells whoever wants to know, and nothing else happens; a sentinel that says it twice is enough',
    async () => {
      const server = await startWebhookServer()
      const judge = sentinel('judge', 'tool.result', {
        structuredOutput: { output: 'enum', enumValues: ['stuck', 'fine'] },
      })
      const rule = {
        id: 'stuck',
        sentinel: 'judge',
        when: [{ operator: 'equals', path: 'value', value: 'stuck' }],
        times: 2,
        do: 'notify',
      }
      const at = await hankFolder([lightCodon('one', { sentinels: [{ sentinelConfig: judge }] })], {
        'weave.json': { ...lightAgents, rules: [rule] },
        'rehearsal.json': {
          codons: { one: [bash('true'), bash('true')] },
          sentinels: { judge: ['{"result":"stuck"}', '{"result":"stuck"}'] },
        },
        'told.json': { targets: [{ type: 'webhook', url: server.url, on: ['rule.fired'] }] },
      })
      chmodSync(at.path('told.json'), 0o600)
      const run = at.start('rehearse', '--notify', 'told.json')
      expect(await run.ended).toBe(0)
      expect(at.events('rule.fired').map(({ data }) => [data['ruleId'], data['hits']])).toEqual([
        ['stuck', 2],
      ])
      expect(types(at, 'gate.armed', 'gate.waiting')).toEqual([])
      expect(server.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { type: 'rule.fired', data: { codonId: 'one', message: 'Rule stuck: notify.' } },
      ])
    },
    longest,
  )

  verifies(
    ['rules/load-errors', 'rules/strict'],
    'what the hank does not have, and what a rule must not say, is an error with its place',
    async () => {
      const words = sentinel('words', 'tool.result')
      const at = await hankFolder([codon('draft', { sentinels: [{ sentinelConfig: words }] })])
      const when = [{ operator: 'equals', path: 'value', value: 'x' }]
      const said = (rule: object): string => {
        at.write({ 'weave.json': { rules: [{ id: 'r', do: 'notify', ...rule }] } })
        const { status, stdout, stderr } = at.weave('validate', '--skip-self-test')
        expect(status).toBe(1)
        return stdout + stderr
      }
      expect(said({ sentinel: 'word', when })).toContain(
        'the hank has no sentinel "word". Did you mean words?',
      )
      expect(said({ sentinel: 'words', when })).toContain('has no structuredOutput')
      expect(said({ ...onResult, codons: ['drft'] })).toContain(
        'the hank has no codon "drft". Did you mean draft?',
      )
      expect(said({})).toContain('exactly one of "sentinel" and "trigger"')
      expect(said({ ...onResult, message: 'a <%= b %>' })).toContain('templates do not exist here')
      expect(said({ sentinel: 'words', when, do: 'stop' })).toContain('at least 2')
      expect(said({ ...onResult, do: 'approve' })).toContain('notify')
    },
    longest,
  )
})
