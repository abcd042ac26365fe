import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { type RunningCommand, scriptedWeave } from '../support/weave-command.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { startInTerminal } from './tui-terminal.ts'

const longest = 120_000
const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`

/** Writes the person's own file, for their eyes only. */
function setTargets(at: HankFolder, ...targets: readonly object[]): void {
  at.write({ 'home/.weave/notify.json': { targets } })
  chmodSync(at.path('home/.weave/notify.json'), 0o600)
}

interface Ended {
  readonly status: number | null
  readonly said: string
}

/** Not in the way of a server in this very process. */
async function ended(run: RunningCommand | Promise<RunningCommand>): Promise<Ended> {
  const command = await run
  return { status: await command.ended, said: command.said() }
}

function typesOf(received: readonly { readonly body: string }[]): readonly unknown[] {
  return received.map(({ body }) => JSON.parse(body).type)
}

describe('notifications of a run', () => {
  verifies(
    ['notify/own-file', 'notify/webhook-signed', 'notify/body', 'notify/quick'],
    'reach the address of the person, signed, within a second, and hold nothing of prompts, files or secrets',
    async () => {
      const server = await startWebhookServer()
      const at = await hankFolder([codon('one', { promptText: 'PROMPT-CANARY' }), codon('two')], {
        'weave.json': { port: 0 },
      })
      setTargets(at, { type: 'webhook', url: server.url, secretEnv: 'HOOK_SECRET', on: ['run.ended'] })
      const env = { HOOK_SECRET: secret, SOME_API_KEY: 'KEY-CANARY-0123456789' }
      const run = await ended(at.with(env).startScripted('--headless', '--input', 'DATA-CANARY'))
      expect(run.status).toBe(0)
      expect(server.received).toHaveLength(1)
      const [hook] = server.received
      const body = new Webhook(secret).verify(hook?.body ?? '', hook?.headers as Record<string, string>)
      const [end] = at.events('run.completed')
      expect(body).toMatchObject({ type: 'run.ended', data: { hank: 'hank', status: 'completed', cost: 0 } })
      expect(hook?.headers['webhook-id']).toBe(end?.id)
      expect(hook?.body).not.toContain('CANARY')
      const told =
        (hook?.at ?? 0) - Date.parse(String((end as { timestamp?: string } | undefined)?.timestamp))
      expect(told).toBeLessThan(1_000)
      expect(JSON.parse(readFileSync(at.execution('.weave/notified.json'), 'utf8')).targets).toEqual({
        [Object.keys(JSON.parse(readFileSync(at.execution('.weave/notified.json'), 'utf8')).targets)[0] ??
          '']: end?.seq,
      })

      expect(
        (await ended(at.with(env).startScripted('--headless', '--start-new', '--no-notify'))).status,
      ).toBe(0)
      expect(server.received).toHaveLength(1)
    },
    longest,
  )

  verifies(
    ['notify/own-file', 'notify/rehearsal', 'notify/types', 'notify/no-retries'],
    'are not for a hank to name; a rehearsal tells only whom --notify names; on and hanks choose',
    async () => {
      const server = await startWebhookServer()
      const everybody = { type: 'webhook', url: server.url, on: ['run.ended', 'codon.failed'] }
      const at = await hankFolder(
        [codon('one', { onFailure: 'retry', retryConfig: { maxAttempts: 2, delayMs: 0 }, ...rig('exit 3') })],
        {
          'rehearsal.json': { codons: { one: [bash('true')] } },
          'mine.json': {
            targets: [
              everybody,
              { ...everybody, hanks: ['other*'] },
              { ...everybody, url: `${server.url}/2`, on: ['run.parked'] },
            ],
          },
          'notify.json': { targets: [everybody] },
          '.weave/notify.json': { targets: [everybody] },
        },
      )
      chmodSync(at.path('mine.json'), 0o600)
      setTargets(at, everybody)
      expect((await ended(at.start('rehearse'))).status).toBe(1)
      expect(server.received).toEqual([])
      expect((await ended(at.start('rehearse', '--start-new', '--notify', 'mine.json'))).status).toBe(1)
      expect(typesOf(server.received)).toEqual(['codon.failed', 'run.ended'])
      expect(server.received.map(({ path }) => path)).toEqual(['/hook', '/hook'])
      at.write({ 'weave.json': { notify: { targets: [everybody] } } })
      expect(await ended(at.start('rehearse'))).toMatchObject({
        status: 1,
        said: expect.stringContaining('Unknown field notify.'),
      })
    },
    longest,
  )

  verifies(
    ['notify/strict', 'notify/private-file', 'notify/test'],
    'a bad file stops the start with its place; one that others can read is warned about; the test says what came of it',
    async () => {
      const server = await startWebhookServer(count => (count === 1 ? 204 : 404))
      const at = await hankFolder([codon('one')])
      expect(at.weave('notify', 'test')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('does not exist'),
      })
      at.write({ 'home/.weave/notify.json': { targets: [{ type: 'webhook', url: 'http://example.test/' }] } })
      const bad = await ended(at.startScripted('--headless'))
      expect(bad.status).toBe(1)
      expect(bad.said).toMatch(/notify\.json:\d+:\d+/)
      expect(bad.said).toContain('--no-notify')
      expect(at.executions()).toEqual([])

      const file = join(at.cwd, 'told')
      at.write({
        'home/.weave/notify.json': {
          targets: [
            { type: 'webhook', url: server.url },
            { type: 'command', run: ['sh', '-c', `cat > '${file}'`] },
            { type: 'webhook', url: server.url, secretEnv: 'NOT_THERE' },
          ],
        },
      })
      chmodSync(at.path('home/.weave/notify.json'), 0o644)
      const tried = await ended(at.start('notify', 'test'))
      expect(tried.status).toBe(1)
      expect(tried.said).toContain('chmod 600')
      expect(tried.said).toMatch(/ok +webhook 127\.0\.0\.1:\d+ +told in/)
      expect(tried.said).toMatch(/ok +command sh +told in/)
      expect(tried.said).toContain('the variable NOT_THERE is not set')
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ type: 'test', data: { hank: 'weave' } })
      expect(at.weave('schema', 'notify').stdout).toContain('secretEnv')
    },
    longest,
  )

  verifies(
    ['notify/never-the-runs-business'],
    'a target that is gone is one warning, and the end waits no longer than five seconds',
    async () => {
      const at = await hankFolder([codon('one'), codon('two')])
      const unreachable = { type: 'webhook', url: 'http://127.0.0.1:9/', on: ['run.ended', 'run.parked'] }
      const refusing = { type: 'command', run: ['sh', '-c', 'exit 7'], on: ['run.ended'] }
      const missing = { type: 'webhook', url: 'http://127.0.0.1:9/', secretEnv: 'NOT_THERE' }
      setTargets(at, unreachable, refusing, missing)
      const began = performance.now()
      const run = await ended(at.startScripted('--headless'))
      expect(run.status).toBe(0)
      expect(performance.now() - began).toBeLessThan(20_000)
      expect(run.said).toContain(
        'Notifications: nothing goes to webhook 127.0.0.1:9: the variable NOT_THERE is not set.',
      )
      const warnings = at.events('error').map(({ data }) => data['message'])
      expect(warnings).toEqual(['A notification did not reach command sh: it ended with 7.'])
    },
    longest,
  )

  verifies(
    ['notify/at-least-once'],
    'an end that nobody could be told of is told when the execution is started again',
    async () => {
      let isUp = false
      const server = await startWebhookServer(() => (isUp ? 204 : 503))
      const at = await hankFolder([codon('one')])
      setTargets(at, { type: 'webhook', url: server.url })
      expect((await ended(at.startScripted('--headless'))).status).toBe(0)
      const tries = server.received.length
      expect(tries).toBeGreaterThan(0)
      isUp = true
      expect((await ended(at.startScripted('--headless', '-e', at.execution()))).status).toBe(0)
      const ids = server.received.map(({ headers }) => headers['webhook-id'])
      expect(ids.length).toBeGreaterThan(tries)
      expect(new Set(ids).size).toBe(1)
      expect((await ended(at.startScripted('--headless', '-e', at.execution()))).status).toBe(0)
      expect(server.received).toHaveLength(ids.length)
    },
    longest,
  )

  verifies(
    ['notify/terminal'],
    'the terminal of a run rings: alone with its lines, and through the screen',
    async () => {
      const at = await hankFolder([codon('one')])
      setTargets(at, { type: 'terminal' })
      const program = await scriptedWeave()
      const lines = at.path('heard')
      const command = `"${process.execPath}" "${program}"`
      const plain = await startInTerminal(`script -qf -c '${command} --headless' '${lines}'`, at)
      await plain.shows('EXIT 0')
      expect(readFileSync(lines, 'utf8')).toContain('\u0007')
      const screen = at.path('screen')
      const covered = await startInTerminal(`script -qf -c '${command} --start-new' '${screen}'`, at)
      await covered.shows('The hank is done')
      const heard = (): string => (existsSync(screen) ? readFileSync(screen, 'utf8') : '')
      const deadline = performance.now() + 10_000
      while (!heard().includes('\u0007') && performance.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 20))
      expect(heard()).toContain('\u0007')
      covered.press('q')
      await covered.shows(/EXIT \d/)
    },
    longest,
  )
})
