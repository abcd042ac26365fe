import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'

/** A hank of one codon of the embedded agent, whose model asks for these commands of a shell. */
function place(...commands: readonly string[]) {
  const only = [...commands.map(run => bash(run)), { say: 'Done.' }]
  return hankFolder([codon('only', { model: 'openai/gpt-5', checkpointedFiles: ['**'] })], {
    'rehearsal.json': { codons: { only } },
  })
}

/** Every file below a directory that holds a text. */
function filesWith(text: string, directory: string): readonly string[] {
  const { stdout } = spawnSync('grep', ['-rlaF', '-e', text, directory], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean)
}

const rehearse = ['rehearse', '--headless', '--port', '0']

describe('an agent that writes a megabyte made to slow a search for keys', () => {
  verifies(
    ['attack/redaction-linear'],
    'does not keep the server from answering',
    async () => {
      const write = `node -e 'process.stdout.write("eyJaaaaaaaaaa-".repeat(75000))' > tok.txt`
      const at = await place(`${write}; cat tok.txt; sleep 2`, 'cat tok.txt')
      const run = at.start(...rehearse, '--keep-alive')
      await run.until('Clients ')
      const { client, until } = await steer(at.execution())
      let slowest = 0
      let isOver = false
      const done = until('codon.completed').then(() => {
        isOver = true
      })
      while (!isOver) {
        const asked = performance.now()
        expect(await client.send('ping')).toMatchObject({ ok: true })
        slowest = Math.max(slowest, performance.now() - asked)
        // No more than the server takes from one client.
        await setTimeout(20)
      }
      await done
      await client.send('server.shutdown')
      expect(await run.ended, run.said()).toBe(0)
      expect(at.read('tok.txt')?.length).toBe(1_050_000)
      // A quiet machine answers within a tenth of a second; the old pattern took minutes.
      expect(slowest).toBeLessThan(5_000)
    },
    120_000,
  )
})

describe('the token of the command line', () => {
  const token = 'tok-canary-4711-0815'
  const shown = (pid: number | undefined): string => readFileSync(`/proc/${pid}/cmdline`, 'latin1')

  for (const flag of [['--token', token], [`--token=${token}`]])
    verifies(
      ['attack/token-hidden'],
      `stands in no list of processes and in no record, given as ${flag.length} words`,
      async () => {
        const list = 'ps -eo args; cat /proc/[0-9]*/cmdline | tr "\\0" " "'
        const at = await place(
          `(${list}) > list.txt 2>/dev/null; cat list.txt`,
          `echo ${token} | tee said.md`,
        )
        const run = at.start(...rehearse, ...flag)
        await run.until('Clients ')
        expect(shown(run.child.pid)).toMatch(/^weave rehearse /)
        expect(shown(run.child.pid)).not.toContain(token)
        const asNobody = spawnSync('setpriv', ['--reuid=65534', 'cat', `/proc/${run.child.pid}/cmdline`], {
          encoding: 'latin1',
        })
        if (process.getuid?.() === 0) expect(asNobody.stdout).toMatch(/^weave rehearse /)
        expect(asNobody.stdout).not.toContain(token)
        expect(await run.ended, run.said()).toBe(0)
        const dir = at.execution()
        // What the agent itself wrote is its own; the list that it made has no token.
        const list0 = at.read('list.txt') ?? ''
        expect(list0).toContain('weave rehearse')
        expect(list0.split('\n').filter(line => line.includes(token) && !line.includes('echo'))).toEqual([])
        expect(filesWith(token, join(dir, '.weave/journal'))).toEqual([])
        expect(filesWith(token, join(dir, '.weave/logs'))).toEqual([])
        expect(filesWith('[redacted:--token]', join(dir, '.weave/journal'))).not.toEqual([])
        expect(run.said()).not.toContain(token)
      },
      60_000,
    )
})

describe('values of variables', () => {
  verifies(
    ['attack/secret-names'],
    'that hold keys are in no event, no log and on no screen',
    async () => {
      const variables = {
        AWS_SECRET_ACCESS_KEY: 'AWSCANARY-wJalrXUtnFEMI',
        AWS_SESSION_TOKEN: 'SESSIONCANARY-0123456789',
        DEPLOY_KEY: 'KEYCANARY-0123456789',
        GITHUB_PAT: 'PATCANARY-0123456789',
        GCP_CREDENTIALS: 'CREDCANARY-0123456789',
        DATABASE_URL: 'postgres://app:URLCANARY-123@db.local/x',
        SSH_AUTH_SOCK: '/tmp/AGENTSOCKET-1',
      }
      const names = Object.keys(variables).map(name => `$${name}`)
      const at = await place(`echo ${names.join(' ')} | tee a.md`)
      const { status, stdout, stderr } = at
        .with(variables)
        .weave(...rehearse, '--log-level', 'debug', '--json')
      expect(status, stderr).toBe(0)
      const dir = at.execution()
      for (const place of ['.weave/journal', '.weave/logs', '.weave/state.json'])
        expect(filesWith('CANARY-', join(dir, place))).toEqual([])
      expect(stdout).not.toContain('CANARY-')
      expect(stdout).toContain('[redacted:AWS_SECRET_ACCESS_KEY]')
      expect(stdout).toContain('postgres://app:[redacted:DATABASE_URL]@db.local/x')
      expect(stdout).toContain('/tmp/AGENTSOCKET-1')
    },
    60_000,
  )
})
