import { expect } from 'vitest'
import { transitionTypes } from '../../packages/protocol/src/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder, jsonLines, rig, sentinel } from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'

const usage = { input: 1_000, output: 100 }
const working = (id: string, fields: object = {}) =>
  codon(id, { model: 'haiku', ...rig('echo rig > rig.md'), ...fields })

verifies(
  ['6/token-usage-model-usage', '6/incomplete-codon', '6/state-transition-type-enum'],
  'over a kill, a resume and a failure every transition type is sent but one, usage comes by model, and no deprecated event',
  async () => {
    const sentinels = [{ sentinelConfig: sentinel('loud', 'tool.result') }]
    const done = { say: 'Done.', usage: { input: 10, output: 1 } }
    const script = {
      codons: {
        a: [bash('true', { usage }), done],
        b: [bash('test -e ../ran || { touch ../ran; sleep 60; }', { usage }), done],
        c: [{ fail: { status: 400, message: 'no' } }],
      },
    }
    const hank = [working('a', { sentinels }), working('b'), working('c')]
    const at = await hankFolder(hank, { 'rehearsal.json': script })
    const killed = at.start('rehearse', '--headless')
    await killed.until('sleep 60')
    await killed.kill('SIGKILL')

    const resumed = at.start('rehearse', '--no-autostart', '--keep-alive')
    await resumed.until('Clients')
    const { client, events, until } = await steer(at.execution())
    await client.send('codon.next')
    await until('codon.completed', events.length, ({ data }) => data.codonId === 'b')
    await client.send('codon.next')
    await resumed.ended

    const sent = new Set(
      jsonLines(at.weave('journal', '--json', '--type', 'state.transition').stdout).map(
        ({ data }) => data['transitionType'],
      ),
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
