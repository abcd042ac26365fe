import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, hankFolder, rig } from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'
import { runCli, scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const secret = 'correct-horse-battery-staple'

verifies(
  ['d12/secret-socket'],
  'a secret of the environment reaches no client, wherever it turns up',
  async () => {
    const says = 'echo "$MY_API_KEY"; echo "$MY_API_KEY" > leak.md; echo "$MY_API_KEY" >&2; exit 1'
    const leaky = {
      name: `Part ${secret}`,
      promptText: `Work with ${secret}.`,
      rigSetup: [command(says, { allowFailure: true })],
    }
    const at = await hankFolder([codon('a', leaky), codon('b', rig(`false ${secret}`))])
    const run = await at.with({ MY_API_KEY: secret }).serve()
    const { client, events, until, now } = await steer(run.dir)
    for (const id of ['a', 'b']) {
      const from = now()
      await client.send('codon.next')
      expect((await until('codon.completed', from)).data.codonId).toBe(id)
      await until('server.idle', from)
    }
    await until('file.updated')
    const answers: unknown[] = [await client.send('codon.start', { codonId: secret })]
    for await (const batch of client.history()) answers.push(batch)
    await client.send('server.shutdown')
    await run.ended
    const heard = JSON.stringify([events, answers])
    expect(heard.split('[redacted:MY_API_KEY]').length).toBeGreaterThan(10)
    expect(heard.includes(secret)).toBe(false)
  },
)

verifies(
  ['d2/command-doctor'],
  'the doctor looks at what a run needs, with a cure for what is missing',
  () => {
    const { stdout, status } = runCli(['doctor', '--json'], { env: { ANTHROPIC_API_KEY: '' } })
    const findings = JSON.parse(stdout) as readonly { name: string; verdict: string; cure?: string }[]
    expect(findings.map(({ name }) => name.toLowerCase()).join(' ')).toMatch(
      /node.*git.*port.*proxy port.*outbound proxy/,
    )
    for (const { verdict, cure } of findings) expect(verdict === 'good' || cure !== undefined).toBe(true)
    expect(status).toBe(findings.some(({ verdict }) => verdict === 'bad') ? 1 : 0)
  },
)
