import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { type ClaudeCode, type Filled, startClaudeCode } from '../support/claude-code.ts'
import { bash, codon as codonOf, hankFolder } from '../support/hank-folder.ts'

/** Every tool of every group, called by the real Claude Code; runs are real, too, and ask the same scripted model. */

const longest = 180_000
const patience = { timeout: 30_000 }

const codon = (id: string, fields: object = {}) => codonOf(id, { model: 'claude-sonnet-4-5', ...fields })
const say = (text: string): Answer => ({ kind: 'message', parts: [{ kind: 'text', text }] })
const everyGroup = ['--allow', 'run,steer,gates', '--max-cost', '2']

const hank = [codon('plan'), codon('publish')]

/** The plan waits for a person in its middle. */
const gated = () =>
  hankFolder(hank, {
    'weave.json': { gates: [{ id: 'plan-ok', before: 'publish', message: 'Read plan.md.' }] },
  })

async function until(claude: ClaudeCode, execution: string, types: readonly string[] | 'end', since = 0) {
  const { value } = await claude.call('wait_for', { execution, since, until: types, seconds: 50 })
  expect(value).toMatchObject({ hit: true })
  return Number(value['lastSeq'])
}

const hang: Answer = { kind: 'hang', seconds: 600 }
const isAbout = ({ turns }: ModelRequest, id: string) => JSON.stringify(turns).includes(`Work on ${id}.`)

/** A person whose mind a test can change. */
function answering() {
  let filled: Filled = 'decline'
  return {
    says: () => filled,
    mean: (other: Filled) => {
      filled = other
    },
  }
}

function asking(claude: ClaudeCode, person: ReturnType<typeof answering>) {
  const codeOf = async (tool: string, input: object) => (await claude.call(tool, input)).code
  return {
    codeOf,
    /** Nothing is done when the person does not answer or says no; with a yes it is. */
    async noThenYes(tool: string, input: object, yes: Filled = { confirm: true }): Promise<void> {
      const asked = claude.asked.length
      for (const no of ['decline', { confirm: false }] as const) {
        person.mean(no)
        expect(await codeOf(tool, input)).toBe('DECLINED')
      }
      person.mean(yes)
      const { isError, text } = await claude.call(tool, input)
      expect(isError, text).toBe(false)
      expect(claude.asked.length - asked).toBe(3)
    },
  }
}

const waitingRun = ['--no-autostart', '--keep-alive', '--start-new', '--headless', '--skip-self-test']

/** The tools that only look, and what they say of a rehearsal of the plan with a gate. */
const readingTools = (execution: string, hank: string): readonly (readonly [string, object, RegExp])[] => [
  ['list_executions', {}, /"status":"completed"/],
  ['get_execution', { execution }, /"isRehearsal":true/],
  ['read_journal', { execution, limit: 5 }, /"lastSeq":5/],
  ['wait_for', { execution, seconds: 1 }, /"hit":true/],
  ['list_checkpoints', { execution }, /"codonId":"publish"/],
  ['diff_checkpoints', { execution, from: 'start', to: 'plan', path: 'plan.md' }, /plan\.md/],
  ['read_file', { execution, checkpoint: 'end', path: 'plan.md' }, /"isBinary":false/],
  ['cost_report', { execution }, /"totals"/],
  ['list_models', { filter: 'sonnet' }, /sonnet/],
  ['validate_hank', { hank }, /"valid":true/],
  ['plan_hank', { hank }, /"structure"/],
  ['preview_rollback', { execution, to: 'plan' }, /"token"/],
]

describe('weave in the hands of Claude Code', () => {
  verifies(
    ['mcp/claude-code', 'mcp/ceiling', 'mcp/gates', 'mcp/confirmed', 'mcp/resumes'],
    'runs, stops, goes on, goes back and passes a gate by the answers of a person',
    async () => {
      const at = await gated()
      onTestFinished(() => void at.weave('stop', '--all', '--now'))
      let isHeld = true
      const person = answering()
      const claude = await startClaudeCode(at, {
        words: everyGroup,
        says: person.says,
        toRuns: request => (isHeld && isAbout(request, 'publish') ? hang : say('Done.')),
      })
      const { codeOf, noThenYes } = asking(claude, person)

      const { value: run } = await claude.call('start_run', { hank: at.cwd, maxCost: 50 })
      const execution = String(run['execution'])
      const gate = await until(claude, execution, ['gate.waiting'])
      const [preflight] = at.events('preflight.result')
      expect(preflight?.data).toMatchObject({ plan: { ceilings: { maxDollars: { value: 2 } } } })
      expect(claude.runRequests()).toBeGreaterThan(0)
      expect(await codeOf('steer_run', { execution, action: 'next' })).toBe('NOT_ALLOWED')
      expect(claude.asked).toEqual([])
      expect((await claude.call('decide_gate', { execution, decision: 'approve' })).isError).toBe(true)
      await noThenYes('decide_gate', { execution }, { decision: 'approve', note: 'fine' })
      expect(at.events('gate.decided')).toMatchObject([{ data: { decision: 'approved', note: 'fine' } }])
      expect(claude.asked.at(-1)).toContain('Read plan.md.')

      const begun = await until(claude, execution, ['codon.started'], gate)
      await noThenYes('steer_run', { execution, action: 'forceStop' })
      const stopped = await until(claude, execution, ['run.completed'], begun)
      await vi.waitFor(() => expect(existsSync(at.execution('.weave/lock.json'))).toBe(false), patience)
      expect((await claude.call('resume_run', { execution })).value).toMatchObject({ execution })
      await until(claude, execution, ['codon.started'], stopped)
      await noThenYes('stop_run', { execution })

      await noThenYes('rollback', { execution, to: 'start' })
      await noThenYes('undo_rollback', { execution })
      const rollbacks = () => at.events('rollback.completed').length
      expect(rollbacks()).toBe(2)
      const { value: preview } = await claude.call('preview_rollback', { execution, to: 'start' })
      const byToken = { execution, to: 'start', token: preview['token'] }
      const asked = claude.asked.length
      expect(await codeOf('rollback', { ...byToken, token: 'made-up' })).toBe('STALE_PREVIEW')
      expect(await codeOf('rollback', byToken)).toBeUndefined()
      expect(await codeOf('rollback', byToken)).toBe('STALE_PREVIEW')
      expect(claude.asked).toHaveLength(asked)
      await noThenYes('undo_rollback', { execution })
      expect(rollbacks()).toBe(4)

      isHeld = false
      const back = at.events().at(-1)?.seq
      await claude.call('resume_run', { execution })
      // What went back goes through the gate once more.
      const last = await until(claude, execution, ['gate.waiting'], back)
      await noThenYes('decide_gate', { execution }, { decision: 'approve' })
      await until(claude, execution, ['run.completed'], last)
      // The server is still closing what it holds when it says so.
      await vi.waitFor(async () => {
        const { value: done } = await claude.call('get_execution', { execution })
        expect(done).toMatchObject({ status: 'completed' })
      }, patience)
      const elsewhere = ['rehearse_hank', ...readingTools('', '').map(([name]) => name)]
      expect([...new Set([...claude.called, ...elsewhere])].sort()).toEqual(claude.offered)
      await claude.end()
    },
    longest,
  )

  verifies(
    ['mcp/claude-code', 'mcp/steers', 'mcp/no-model'],
    'steers a run after a yes; without the group run it can make no model be asked, whatever it calls',
    async () => {
      const plan = [bash('echo plan > plan.md'), { say: 'Done.' }]
      const at = await hankFolder(hank, {
        'rehearsal.json': { codons: { plan, publish: [{ say: 'Done.' }] } },
      })
      const person = answering()
      const claude = await startClaudeCode(at, {
        words: ['--allow', 'steer,gates'],
        says: person.says,
        toRuns: request => (isAbout(request, 'plan') ? hang : say('Done.')),
      })
      const { codeOf, noThenYes } = asking(claude, person)
      person.mean({ confirm: true })
      const { value: rehearsed } = await claude.call('rehearse_hank', { hank: at.cwd, seconds: 100 })
      expect(rehearsed).toMatchObject({ status: 'completed' })
      const own = String(rehearsed['execution'])
      for (const [name, input, answer] of readingTools(own, at.cwd)) {
        const { text, isError } = await claude.call(name, input)
        expect(isError, text).toBe(false)
        expect(text, name).toMatch(answer)
      }
      expect(claude.offered.filter(name => !claude.called.has(name))).toEqual([
        'decide_gate',
        'rollback',
        'steer_run',
        'undo_rollback',
      ])
      for (const [tool, input] of [
        ['start_run', { hank: at.cwd }],
        ['resume_run', { execution: own }],
        ['stop_run', { execution: own }],
      ] as const)
        expect((await claude.call(tool, input)).text).toContain('No such tool available')
      await noThenYes('rollback', { execution: own, to: 'start' })
      await noThenYes('undo_rollback', { execution: own })
      expect(await codeOf('decide_gate', { execution: own })).toBe('UNKNOWN_GATE')

      const run = at.with(claude.runEnvironment).start(...waitingRun)
      await run.until('Clients ')
      const execution = basename(at.executions().find(dir => basename(dir) !== own) ?? '')
      for (const action of ['next', 'redo', 'skip'])
        expect(await codeOf('steer_run', { execution, action })).toBe('NOT_ALLOWED')
      expect(claude.runRequests()).toBe(0)

      const paying = await startClaudeCode(at, {
        words: everyGroup,
        says: person.says,
        toRuns: () => say('Done.'),
      })
      const { noThenYes: steers } = asking(paying, person)
      await steers('steer_run', { execution, action: 'next' })
      await vi.waitFor(() => expect(claude.runRequests()).toBeGreaterThan(0), patience)
      await noThenYes('steer_run', { execution, action: 'forceStop' })
      await steers('steer_run', { execution, action: 'redo' })
      await steers('steer_run', { execution, action: 'skip' })
      await Promise.all([claude.end(), paying.end()])
      await run.kill('SIGTERM')
    },
    longest,
  )

  verifies(
    ['mcp/claude-code', 'mcp/confirmed', 'mcp/gates'],
    'does nothing of the kind when nobody sits in front of it',
    async () => {
      const at = await gated()
      expect(at.rehearse('--on-gate', 'exit', '--headless').status).toBe(3)
      const execution = basename(at.execution())
      const before = at.events()
      const claude = await startClaudeCode(at, { words: everyGroup, toRuns: () => say('Done.') })
      for (const [tool, more] of [
        ['decide_gate', {}],
        ['rollback', { to: 'start' }],
      ] as const)
        expect((await claude.call(tool, { execution, ...more })).code).toBe('DECLINED')
      expect(at.events()).toEqual(before)
      expect(claude.runRequests()).toBe(0)
      await claude.end()
    },
    longest,
  )
})
