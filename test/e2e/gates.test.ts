import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { connect } from '../../packages/client/src/index.ts'
import { answerAtRest } from '../../packages/runtime/src/at-rest/index.ts'
import { openJournal } from '../../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../../packages/runtime/src/kit/index.ts'
import { executionLayout } from '../../packages/runtime/src/workspace/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder, lightAgents, lightCodon, rig } from '../support/hank-folder.ts'
import { portOf, steer } from '../support/steering-client.ts'
import { launcher, scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const noted = { checkpointedFiles: ['*.md'] }
const plan = codon('plan', { ...noted, ...rig('echo plan >> plan.md') })
const publish = codon('publish', { ...noted, ...rig('cp plan.md page.md') })

function gated(gate: object = {}, ...more: readonly object[]) {
  return hankFolder([plan, publish], {
    'weave.json': {
      gates: [{ id: 'plan-ok', before: 'publish', message: 'Read plan.md.', ...gate }, ...more],
    },
  })
}

const ids = (text: string): string => text.replaceAll(/\d{2}:\d{2}:\d{2}/g, 'hh:mm:ss')

describe('a run with a gate', () => {
  verifies(
    ['gates/on-gate-exit', 'gates/at-rest', 'gates/lines', 'gates/list', 'gates/command', 'detach/wait-gate'],
    'leaves with code 3 when it is not to wait, is approved at rest, and goes on',
    async () => {
      const at = await gated({ show: ['*.md'], noteFile: 'notes.md' })
      const left = await at.scripted('--on-gate', 'exit', '--headless')
      expect(left.status).toBe(3)
      const name = basename(at.execution())
      expect(ids(left.stdout)).toContain('hh:mm:ss waiting at gate plan-ok before publish: Read plan.md.')
      expect(left.stdout).toContain(`weave gate approve ${name} -m "…"  ·  weave gate reject ${name}`)
      expect(at.events('run.completed').at(-1)?.data).toMatchObject({
        status: 'stopped',
        reason: 'gate plan-ok',
      })
      expect(at.events('gate.waiting')[0]?.data).toMatchObject({
        gateId: 'plan-ok',
        codonId: 'plan',
        next: 'publish',
        round: 1,
        files: [{ path: 'plan.md', action: 'created' }],
      })
      expect(at.weave('list').stdout).toContain('waits: plan-ok')
      expect(at.weave('wait').status).toBe(3)
      const shown = at.weave('gate')
      expect([shown.status, shown.stdout]).toEqual([
        0,
        expect.stringContaining('waits at gate plan-ok before publish'),
      ])
      expect(JSON.parse(at.weave('gate', 'list', '--json').stdout)).toMatchObject({
        waiting: { gateId: 'plan-ok' },
      })
      const other = at.weave('gate', 'approve', '--gate', 'other')
      expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('It waits at gate plan-ok')])
      const yes = at.weave('gate', 'approve', '-m', 'fine')
      expect([yes.status, yes.stdout], yes.stderr).toEqual([
        0,
        expect.stringContaining('gate plan-ok approved'),
      ])
      expect(at.weave('gate', 'approve').status).toBe(1)
      const done = await at.scripted('--headless', '-y')
      expect(done.status, done.stderr).toBe(0)
      expect(at.read('notes.md')).toMatch(/^## Gate plan-ok, approved at .*\n\nfine\n$/)
      expect(at.events('gate.decided').map(({ data }) => data)).toMatchObject([
        { gateId: 'plan-ok', decision: 'approved', note: 'fine', by: { via: 'cli' } },
      ])
      expect(at.weave('gate').status).toBe(1)
    },
    60_000,
  )

  verifies(
    ['gates/identity', 'gates/at-rest'],
    'does not take an approval when files have changed since, keeps the change and asks again',
    async () => {
      const at = await gated()
      expect((await at.scripted('--on-gate', 'exit', '--headless')).status).toBe(3)
      appendFileSync(at.workspace('plan.md'), 'by hand\n')
      const stale = at.weave('gate', 'approve')
      expect([stale.status, stale.stderr]).toEqual([
        1,
        expect.stringContaining('Files have changed since: plan.md.'),
      ])
      const [first, second] = at.events('gate.waiting')
      expect(second?.data).toMatchObject({ round: 2, files: [{ path: 'plan.md', action: 'modified' }] })
      expect(second?.data['checkpoint']).not.toBe(first?.data['checkpoint'])
      expect(at.weave('gate', 'approve').status).toBe(0)
      expect((await at.scripted('--headless', '-y')).status).toBe(0)
      expect(at.read('page.md')).toContain('by hand')
    },
    60_000,
  )

  verifies(
    ['gates/reject', 'gates/at-rest'],
    'goes back and runs everything again after a rejection at rest, and stops when there is nothing to go back to',
    async () => {
      const at = await gated({ onReject: { redoFrom: 'plan' }, noteFile: 'notes.md' })
      expect((await at.scripted('--on-gate', 'exit', '--headless')).status).toBe(3)
      expect(at.weave('gate', 'reject', '-m', 'again').status).toBe(0)
      const again = await at.scripted('--on-gate', 'exit', '--headless', '-y')
      expect(again.status, again.stderr).toBe(3)
      expect(at.events('codon.started').map(({ data }) => data['codonId'])).toEqual(['plan', 'plan'])
      expect(at.read('notes.md')).toContain('again')
      const stops = await gated()
      const running = await stops.serve('--headless')
      const { client, until } = await steer(running.dir)
      const { seq = 0 } = await until('gate.waiting')
      expect(await client.send('gate.decide', { seq, decision: 'reject' })).toMatchObject({ ok: true })
      expect(await running.ended).toBe(1)
      expect(stops.events('run.completed').at(-1)?.data).toMatchObject({
        status: 'stopped',
        reason: 'gate plan-ok rejected',
      })
    },
    90_000,
  )

  verifies(
    ['gates/core-commands', 'gates/commands'],
    'is passed with codon.next by a client that knows only the contract, which has none of the three commands',
    async () => {
      const at = await gated()
      const running = await at.serve('--headless')
      const seed = connect(`ws://127.0.0.1:${portOf(running.dir)}`, {
        mode: 'readandwrite',
        since: 0,
        socket: WebSocket,
        reconnect: false,
        extensions: [],
      })
      const seen: string[] = []
      const idle = new Promise<string>(resolve => {
        seed.onAny(event => {
          seen.push(event.type)
          if (event.type === 'server.idle' && event.data.message.startsWith('Waiting at gate'))
            resolve(event.data.message)
        })
      })
      expect(await idle).toBe('Waiting at gate plan-ok: Read plan.md.')
      for (const [type, data] of [
        ['gate.decide', { seq: 1, decision: 'approve' }],
        ['gate.hold', {}],
        ['gate.release', { gateId: 'hold-1' }],
      ] as const)
        expect(await seed.send(type, data as never), type).toMatchObject({
          ok: false,
          code: 'UNKNOWN_COMMAND',
        })
      expect(await seed.send('codon.next')).toMatchObject({ ok: true, event: { type: 'codon.started' } })
      expect(await running.ended).toBe(0)
      expect(seen.filter(type => type.startsWith('gate.'))).toEqual([])
      expect(at.events('gate.decided')[0]?.data).toMatchObject({
        decision: 'approved',
        by: { via: 'socket' },
      })
      seed.close()
    },
    60_000,
  )

  verifies(
    ['gates/flags', 'gates/frozen'],
    'has the gates of --gate, leaves one out only with a yes, keeps those that weave.json lost, and refuses unknown ones',
    async () => {
      const at = await hankFolder([plan, publish])
      expect((await at.scripted('--headless', '--gate', 'publish')).status).toBe(2)
      const unknown = at.weave('validate', '--skip-self-test', '--gate', 'before:publsh')
      expect(unknown.stdout + unknown.stderr).toContain(
        'the hank has no codon "publsh". Did you mean "publish"?',
      )
      expect((await at.scripted('--headless', '--gate', 'before:publish', '--on-gate', 'exit')).status).toBe(
        3,
      )
      expect(at.events('preflight.result')[0]?.data['plan']).toMatchObject({
        gates: [{ id: 'before-publish' }],
        needs: ['gates'],
      })
      // Nothing on the command line speaks of it any more.
      const still = await at.scripted('--headless', '-y', '--on-gate', 'exit')
      expect(still.status).toBe(3)
      expect(still.stderr).toContain('Gate before-publish is not in weave.json any more; it still holds.')
      const slip = await at.scripted('--headless', '-y', '--no-gate', 'before-publsh')
      expect([slip.status, slip.stderr]).toEqual([1, expect.stringContaining('Did you mean before-publish?')])
      const nobody = await at.scripted('--headless', '--no-gate', 'before-publish')
      expect([nobody.status, nobody.stderr]).toEqual([1, expect.stringContaining('add -y to say yes')])
      expect((await at.scripted('--headless', '-y', '--no-gate', 'before-publish')).status).toBe(0)
      expect(at.events('gate.decided').map(({ data }) => data['decision'])).toEqual(['bypassed'])
    },
    90_000,
  )

  test('a gate after a codon with outputs is warned of', async () => {
    const at = await hankFolder(
      [codon('plan', { ...noted, outputFiles: [{ copy: ['plan.md'] }] }), publish],
      {
        'weave.json': { gates: [{ after: 'plan' }] },
      },
    )
    const { stdout, stderr } = at.weave('validate', '--skip-self-test')
    expect(stdout + stderr).toContain('the output files of plan are copied before the gate asks')
  })
})

describe('gates and what is around them', () => {
  verifies(
    ['gates/frozen'],
    'a plan that needs what this version does not know is refused, and nothing is started',
    async () => {
      const at = await gated()
      expect((await at.scripted('--on-gate', 'exit', '--headless')).status).toBe(3)
      const [begun] = at.events('preflight.result')
      const plan = begun?.data['plan'] as object
      const journal = await openJournal({
        dir: at.execution('.weave/journal'),
        clock: systemClock,
        redactor: createRedactor([]),
      })
      journal.append('preflight.result', {
        ok: true,
        problems: [],
        plan: { ...plan, needs: ['gates', 'second-sight'] },
      })
      await journal.close()
      const events = at.events().length
      const withKey = at.with({ ANTHROPIC_API_KEY: 'not-a-key' })
      const refused = withKey.weave('resume', '--headless', '-y', '--skip-self-test')
      expect([refused.status, refused.stderr]).toEqual([
        1,
        expect.stringContaining('needs "second-sight", which this version of weave does not know'),
      ])
      expect(at.events()).toHaveLength(events)
    },
    60_000,
  )

  verifies(
    ['gates/frozen'],
    'an adopted hank keeps its gates, takes one to where weave.json has it now, and loses none without a word',
    async () => {
      const at = await gated({}, { id: 'last', after: 'publish' })
      expect((await at.scripted('--on-gate', 'exit', '--headless')).status).toBe(3)
      const release = codon('release', { ...noted, ...rig('cp plan.md page.md') })
      at.setHank([plan, codon('check', noted), release])
      at.write({ 'weave.json': { gates: [{ id: 'plan-ok', before: 'release' }] } })
      const adopted = await at.scripted('--on-gate', 'exit', '--headless', '--adopt', '-y')
      expect([adopted.status, adopted.stderr]).toEqual([
        3,
        expect.stringContaining('Gate plan-ok is new in this execution, before release.'),
      ])
      expect(adopted.stderr).toContain('Gate last is gone: the hank has no longer what it stood at.')
      expect(at.events('codon.started').map(({ data }) => data['codonId'])).toEqual(['plan', 'check'])
      expect(at.events('gate.waiting').at(-1)?.data).toMatchObject({ gateId: 'plan-ok', next: 'release' })
    },
    60_000,
  )

  verifies(
    ['gates/expiry'],
    'an approval at rest that comes too late is a rejection',
    async () => {
      const at = await gated({ timeoutSeconds: 60 })
      expect((await at.scripted('--on-gate', 'exit', '--headless')).status).toBe(3)
      const [asked] = at.events('gate.waiting')
      const later = { ...systemClock, now: () => new Date(Date.now() + 61_000) }
      const late = await answerAtRest(
        { layout: executionLayout(at.execution()), environment: {}, clock: later },
        { seq: asked?.seq ?? 0, decision: 'approve' },
      )
      expect(late).toMatchObject({
        ok: false,
        message: expect.stringContaining('time for a decision is over'),
      })
      expect(at.events('gate.decided').map(({ data }) => data)).toMatchObject([
        { decision: 'expired', by: { via: 'timeout' } },
      ])
    },
    60_000,
  )

  verifies(
    ['gates/script'],
    'a strict rehearsal ends at a gate for which its script has no answer, and fails for an answer too many',
    async () => {
      const only = lightCodon('only', noted)
      const at = await hankFolder([only], {
        'weave.json': { ...lightAgents, gates: [{ id: 'go', before: 'only' }] },
        'rehearsal.json': { codons: { only: [{ say: 'done' }] } },
      })
      const silent = at.rehearse('--strict', '--headless')
      expect([silent.status, silent.stderr]).toEqual([
        1,
        expect.stringContaining('gate go asked, and there is no answer for it'),
      ])
      expect(at.events('codon.started')).toEqual([])
      at.write({
        'rehearsal.json': { codons: { only: [{ say: 'done' }] }, gates: { go: ['approve', 'approve'] } },
      })
      const toomuch = at.rehearse('--strict', '--headless', '--start-new')
      expect([toomuch.status, toomuch.stderr]).toEqual([
        1,
        expect.stringContaining('gate go took 1 of 2 answers'),
      ])
    },
    60_000,
  )

  verifies(
    ['gates/agent-may-watch'],
    'an agent that gives the command itself may only watch, while it works and at the gate',
    async () => {
      const tries = [
        `node ${launcher} gate approve "$WEAVE_EXECUTION_ID" > tries.md 2>&1; echo "gate $?" >> tries.md`,
        `node ${launcher} skip "$WEAVE_EXECUTION_ID" >> tries.md 2>&1; echo "skip $?" >> tries.md`,
      ]
      const at = await hankFolder([codon('plan', noted), lightCodon('publish', noted)], {
        'weave.json': { ...lightAgents, gates: [{ id: 'plan-ok', before: 'publish' }] },
        'rehearsal.json': {
          codons: { plan: [...tries.map(run => bash(run)), { say: 'done' }], publish: [{ say: 'done' }] },
        },
      })
      const running = at.start('rehearse', '--headless')
      await running.until('waiting at gate plan-ok')
      const said = at.read('tries.md') ?? ''
      expect(said).toContain('gate 1')
      expect(said).toContain('It lets us watch only')
      expect(said).toContain('skip 1')
      // One of its processes that is still there when the gate asks.
      const ofAgent = at.with({ WEAVE_EXECUTION_ID: at.execution() }).weave('gate', 'approve')
      expect([ofAgent.status, ofAgent.stderr]).toEqual([1, expect.stringContaining('It lets us watch only')])
      expect(at.events('gate.decided')).toEqual([])
      expect(at.weave('gate', 'approve').status).toBe(0)
      expect(await running.ended).toBe(0)
    },
    60_000,
  )

  verifies(
    ['gates/agent-may-watch'],
    'nor may it when nothing but a hold of an earlier start is there',
    async () => {
      const at = await hankFolder([plan, publish])
      const first = await at.serve()
      const { client } = await steer(first.dir)
      expect(await client.send('gate.hold', { before: 'publish' })).toMatchObject({ ok: true })
      await first.kill('SIGTERM')
      const second = await at.serve('--no-autostart', '--keep-alive', '-y')
      const ofAgent = at.with({ WEAVE_EXECUTION_ID: at.execution() }).weave('next')
      expect([ofAgent.status, ofAgent.stderr]).toEqual([1, expect.stringContaining('It lets us watch only')])
      await second.kill('SIGTERM')
    },
    60_000,
  )
})
