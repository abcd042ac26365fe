import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { codonOf } from '../clients/served-hank.ts'
import { verifies } from '../conformance/verifies.ts'
import { runCli } from '../support/run-cli.ts'
import { startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { steer } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'

beforeAll(scriptedWeave, 120_000)

const secret = 'correct-horse-battery-staple'

verifies(
  ['d12/secret-socket'],
  'a secret of the environment reaches no client, wherever it turns up',
  async () => {
    const cwd = await tempDir()
    const says = 'echo "$MY_API_KEY"; echo "$MY_API_KEY" > leak.md; echo "$MY_API_KEY" >&2; exit 1'
    const leaky = {
      name: `Part ${secret}`,
      promptText: `Work with ${secret}.`,
      rigSetup: [{ type: 'command', command: { run: says }, allowFailure: true }],
    }
    const failing = { rigSetup: [{ type: 'command', command: { run: `false ${secret}` } }] }
    const hank = [codonOf('a', leaky), codonOf('b', failing)]
    writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
    const env = { HOME: join(cwd, 'home'), MY_API_KEY: secret }
    const run = startCommand(await scriptedWeave(), ['--no-autostart', '--keep-alive'], { cwd, env })
    await run.until('Clients ')
    const base = join(cwd, 'home/.weave-executions')
    const { client, events, until, now } = await steer(join(base, readdirSync(base)[0] ?? ''))
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
