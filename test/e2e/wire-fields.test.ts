import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { transitionTypes } from '../../packages/protocol/src/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { launcher, runCli } from '../support/run-cli.ts'
import { startCommand } from '../support/running-command.ts'
import { steer } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'haiku',
  continuationMode: 'fresh',
  promptText: 'Work.',
  checkpointedFiles: ['*.md'],
  rigSetup: [{ type: 'command', command: { run: 'echo rig > rig.md' } }],
  ...more,
})

const observer = {
  id: 'loud',
  name: 'loud',
  model: 'haiku',
  trigger: { type: 'event', on: ['tool.result'] },
  execution: { strategy: 'immediate' },
  userPromptText: 'What?',
}

const bash = (command: string) => ({ use: 'bash', input: { command }, usage: { input: 1_000, output: 100 } })

verifies(
  ['6/token-usage-model-usage', '6/incomplete-codon', '6/state-transition-type-enum'],
  'over a kill, a resume and a failure every transition type is sent but one, usage comes by model, and no deprecated event',
  async () => {
    const dir = await tempDir()
    const at = { cwd: dir, env: { HOME: join(dir, 'home') } }
    const base = join(dir, 'home/.weave-executions')
    const execution = () => join(base, readdirSync(base)[0] ?? '')
    const sentinels = [{ sentinelConfig: observer }]
    const hank = [codon('a', { sentinels }), codon('b'), codon('c')]
    writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
    const done = { say: 'Done.', usage: { input: 10, output: 1 } }
    const script = {
      codons: {
        a: [bash('true'), done],
        b: [bash('test -e ../ran || { touch ../ran; sleep 60; }'), done],
        c: [{ fail: { status: 400, message: 'no' } }],
      },
    }
    writeFileSync(join(dir, 'rehearsal.json'), JSON.stringify(script))
    const killed = startCommand(launcher, ['rehearse', '--headless'], at)
    await killed.until('sleep 60')
    await killed.kill('SIGKILL')

    const resumed = startCommand(launcher, ['rehearse', '--no-autostart', '--keep-alive'], at)
    await resumed.until('Clients')
    const { client, events, until } = await steer(execution())
    await client.send('codon.next')
    await until('codon.completed', events.length, ({ data }) => data.codonId === 'b')
    await client.send('codon.next')
    await resumed.ended

    const sent = new Set(
      runCli(['journal', '--json', '--type', 'state.transition'], at)
        .stdout.split('\n')
        .filter(Boolean)
        .map(line => (JSON.parse(line) as { data: { transitionType: string } }).data.transitionType),
    )
    const heard = new Set(
      events.flatMap(event => (event.type === 'state.transition' ? [event.data.transitionType] : [])),
    )
    expect([...heard].filter(type => !sent.has(type))).toEqual([])
    // The run that completes is in the tests of every other journey; this one fails.
    const never = transitionTypes.filter(type => !sent.has(type))
    expect(never).toEqual(['RunCompleted', 'CostsIncremented'])

    // b had not ended when the server was killed.
    expect(events.filter(({ type }) => type === 'incomplete.codon')).toEqual([])
    const usages = events.flatMap(event => (event.type === 'token.usage' ? [event.data] : []))
    expect(usages.length).toBeGreaterThan(2)
    for (const { modelId = '', modelUsage = {}, totalCost, inputTokens } of usages) {
      const own = modelUsage[modelId]
      expect(own?.inputTokens).toBeGreaterThanOrEqual(inputTokens)
      const costs = Object.values(modelUsage).reduce((sum, { costUSD }) => sum + costUSD, 0)
      expect(costs).toBeCloseTo(totalCost, 9)
    }
    expect(Object.keys(usages[0]?.modelUsage ?? {})).toEqual([expect.stringContaining('haiku')])
  },
  120_000,
)
