import { existsSync } from 'node:fs'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder, sentinel } from '../support/hank-folder.ts'
import { type SteeringClient, steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

const watched = {
  checkpointedFiles: ['*.txt'],
  sentinels: [{ sentinelConfig: sentinel('narrator', 'codon.started') }],
}
const sentinels = { narrator: ['It began.', 'It went on.', 'It ended.'] }

const place = (codons: object) =>
  hankFolder([codon('a', watched), codon('b', watched)], { 'rehearsal.json': { codons, sentinels } })

const said = (text: string) => text.match(/It (?:began|went on|ended)\./g) ?? []

async function next({ client, until, now }: SteeringClient): Promise<void> {
  const from = now()
  expect(await client.send('codon.next')).toMatchObject({ ok: true })
  expect((await until('codon.completed', from)).data).toMatchObject({ success: true })
  await until('server.idle', from)
}

verifies(
  ['d14/rehearsal-positions-rollback'],
  'what is rolled back is rehearsed again as it was scripted, by a client and from the command line',
  async () => {
    const at = await place({
      a: [bash('echo a > a.txt'), { say: 'A is done.' }],
      b: [bash('echo one > b.txt'), bash('echo two >> b.txt'), { say: 'B is done.' }],
    })
    const run = at.start('rehearse', '--headless', '--no-autostart', '--keep-alive')
    await run.until('Clients ')
    const file = at.workspace('b.txt')
    const client = await steer(at.execution())
    await next(client)
    await next(client)
    expect(at.read('b.txt')).toBe('one\ntwo\n')

    const from = client.now()
    await client.client.send('rollback.toCodon', {
      codonId: 'a',
      checkpointType: 'completed',
      autoRestart: false,
    })
    await client.until('rollback.completed', from)
    expect(existsSync(file)).toBe(false)
    await next(client)
    expect(at.read('b.txt')).toBe('one\ntwo\n')
    await client.client.send('server.shutdown')
    expect(await run.ended, run.said()).toBe(0)
    const outputs = client.events.flatMap(({ type, data }) =>
      type === 'sentinel.output' ? said(JSON.stringify(data)) : [],
    )
    expect(outputs).toEqual(['It began.', 'It went on.', 'It went on.'])

    expect(at.weave('rollback', 'a', '-y', '-e', at.execution()).status).toBe(0)
    expect(existsSync(file)).toBe(false)
    const again = at.rehearse('--headless', '--strict')
    expect(again.status, again.stderr).toBe(0)
    expect(at.read('b.txt')).toBe('one\ntwo\n')
  },
  240_000,
)

verifies(
  ['d14/rehearsal-positions-resume'],
  'a rehearsal that is killed in the middle goes on at the right step',
  async () => {
    const at = await place({
      a: [bash('echo a >> a.txt'), { say: 'A is done.' }],
      b: [
        bash('echo one >> b.txt'),
        bash('echo here; test -e "$HOME/go" || sleep 120'),
        bash('echo two >> b.txt'),
        { say: 'B is done.' },
      ],
    })
    const run = at.start('rehearse', '--headless', '--json')
    await run.until(/"codonId":"b"[^\n]*sleep 120/)
    await run.kill('SIGKILL')
    const before = run.said()
    at.write({ 'home/go': '' })
    const resumed = at.rehearse('--headless', '--strict', '--json')
    expect(resumed.status, resumed.stderr).toBe(0)
    expect(resumed.stdout).not.toContain('A is done.')
    expect(at.read('a.txt')).toBe('a\n')
    expect(at.read('b.txt')).toBe('one\ntwo\n')
    // What b had its sentinel say before the kill is said again, and what a had it say is not.
    expect(said(before)).toContain('It began.')
    expect(said(resumed.stdout)).not.toContain('It began.')
    expect(said(resumed.stdout)).toContain('It went on.')
  },
  240_000,
)
