import { existsSync } from 'node:fs'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder, lightAgents, lightCodon, sentinel } from '../support/hank-folder.ts'
import { type SteeringClient, steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

const watched = {
  checkpointedFiles: ['*.txt'],
  sentinels: [{ sentinelConfig: sentinel('narrator', 'codon.started') }],
}
const sentinels = { narrator: ['It began.', 'It went on.', 'It ended.'] }

/** Agents that start quickly; the places are those of the script, and with both SDKs they are proven in the middle test. */
const place = (codons: object) =>
  hankFolder([lightCodon('a', watched), lightCodon('b', watched)], {
    'weave.json': lightAgents,
    'rehearsal.json': { codons, sentinels },
  })

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
  ['repair/rehearsal-again'],
  'what is done again in one sitting is rehearsed from the first step of its script',
  async () => {
    const steps = (id: string) => [bash(`echo ${id} > ${id}.txt`), { say: `${id} is done.` }]
    const at = await hankFolder(
      [codon('a'), codon('b', { model: 'openai/gpt-5' }), codon('c', { continuationMode: 'fresh' })].map(
        each => ({ ...each, checkpointedFiles: ['*.txt'] }),
      ),
      { 'rehearsal.json': { codons: { a: steps('a'), b: steps('b'), c: steps('c') } } },
    )
    const run = at.start('rehearse', '--headless', '--keep-alive')
    await run.until('Clients ')
    const { client, until, now, events } = await steer(at.execution())
    await until('run.completed')
    const sha = at
      .events('state.transition')
      .map(({ data }) => data['transition'] as { type: string; data: Record<string, string> })
      .find(({ type, data }) => type === 'CheckpointCreated' && data['codonId'] === 'a')?.data['sha']
    const from = now()
    await client.send('rollback.toCheckpoint', { checkpointSha: sha ?? '', autoRestart: true })
    await until('rollback.completed', from)
    expect(existsSync(at.workspace('c.txt'))).toBe(false)
    await until('run.completed', from)
    expect([at.read('b.txt'), at.read('c.txt')]).toEqual(['b\n', 'c\n'])
    const redone = now()
    expect(await client.send('codon.redo')).toMatchObject({ ok: true })
    await until('run.completed', redone)
    const used = events.slice(redone).flatMap(({ type, data }) => (type === 'assistant.action' ? [data] : []))
    expect(used.map(({ action }) => action)).toContain('tool_use')
    await client.send('server.shutdown')
    expect(await run.ended, run.said()).toBe(0)
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
