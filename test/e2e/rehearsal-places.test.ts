import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { launcher, runCli } from '../support/run-cli.ts'
import { startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { type SteeringClient, steer } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

const narrator = {
  sentinelConfig: {
    id: 'narrator',
    name: 'Narrator',
    model: 'haiku',
    trigger: { type: 'event', on: ['codon.started'] },
    execution: { strategy: 'immediate' },
    userPromptText: 'What happened?',
  },
}
const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: 'Do it.',
  checkpointedFiles: ['*.txt'],
  sentinels: [narrator],
  ...more,
})
const bash = (command: string) => ({ use: 'bash', input: { command } })
const sentinels = { narrator: ['It began.', 'It went on.', 'It ended.'] }

async function place(codons: object) {
  const cwd = await tempDir()
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank: [codon('a'), codon('b')] }))
  writeFileSync(join(cwd, 'rehearsal.json'), JSON.stringify({ codons, sentinels }))
  const base = join(cwd, 'home/.weave-executions')
  const dir = () => join(base, readdirSync(base)[0] ?? '')
  return { cwd, env: { HOME: join(cwd, 'home') }, dir }
}

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
    const run = startCommand(launcher, ['rehearse', '--headless', '--no-autostart', '--keep-alive'], at)
    await run.until('Clients ')
    const file = join(at.dir(), 'agentRoot/b.txt')
    const client = await steer(at.dir())
    await next(client)
    await next(client)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')

    const from = client.now()
    await client.client.send('rollback.toCodon', {
      codonId: 'a',
      checkpointType: 'completed',
      autoRestart: false,
    })
    await client.until('rollback.completed', from)
    expect(existsSync(file)).toBe(false)
    await next(client)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    await client.client.send('server.shutdown')
    expect(await run.ended, run.said()).toBe(0)
    const outputs = client.events.flatMap(({ type, data }) =>
      type === 'sentinel.output' ? said(JSON.stringify(data)) : [],
    )
    expect(outputs).toEqual(['It began.', 'It went on.', 'It went on.'])

    expect(runCli(['rollback', 'a', '-y', '-e', at.dir()], at).status).toBe(0)
    expect(existsSync(file)).toBe(false)
    const again = runCli(['rehearse', '--headless', '--strict'], at)
    expect(again.status, again.stderr).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
  },
  120_000,
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
    const run = startCommand(launcher, ['rehearse', '--headless', '--json'], at)
    await run.until(/"codonId":"b"[^\n]*sleep 120/)
    await run.kill('SIGKILL')
    const before = run.said()
    writeFileSync(join(at.cwd, 'home/go'), '')
    const resumed = runCli(['rehearse', '--headless', '--strict', '--json'], at)
    expect(resumed.status, resumed.stderr).toBe(0)
    expect(resumed.stdout).not.toContain('A is done.')
    expect(readFileSync(join(at.dir(), 'agentRoot/a.txt'), 'utf8')).toBe('a\n')
    expect(readFileSync(join(at.dir(), 'agentRoot/b.txt'), 'utf8')).toBe('one\ntwo\n')
    // What b had its sentinel say before the kill is said again, and what a had it say is not.
    expect(said(before)).toContain('It began.')
    expect(said(resumed.stdout)).not.toContain('It began.')
    expect(said(resumed.stdout)).toContain('It went on.')
    rmSync(join(at.cwd, 'home/go'))
  },
  120_000,
)
