import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { connect } from '../../packages/client/src/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, rig } from '../support/hank-folder.ts'
import { portOf, steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

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
    ['gates/on-gate-exit', 'gates/at-rest', 'gates/lines', 'gates/list', 'gates/command'],
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
