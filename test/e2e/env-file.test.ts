import { spawnSync } from 'node:child_process'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'

const secret = 'canary-of-a-file-4711'

interface Verdict {
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>
}

/** A hank whose agent says what it finds in its environment, beside a file of variables. */
function place() {
  const tell = 'echo "note=$NOTE both=$BOTH empty=$EMPTY" > seen.md; echo "the key is $MY_API_KEY"'
  return hankFolder([codon('only')], {
    'rehearsal.json': { codons: { only: [bash(tell), { say: 'Done.' }] } },
    '.env': [
      '# for this hank',
      `MY_API_KEY=${secret}`,
      'NOTE="from the file"',
      'BOTH=from the file',
      'EMPTY=from the file',
      'WEAVE_RUNTIME_IDLE_TIMEOUT=77',
    ].join('\n'),
  })
}

const validate = ['validate', '--skip-self-test', '--json']
const idleTimeoutIn = (json: string) => (JSON.parse(json) as Verdict).settings['idleTimeout']

describe('--env-file', () => {
  verifies(
    ['repair/env-file-counts-as-environment', 'repair/env-file-environment-wins'],
    'lends variables to agents after those of the environment, and keeps secrets out of the record',
    async () => {
      const at = (await place()).with({ BOTH: 'from outside', EMPTY: '' })
      const run = at.rehearse('--headless', '--port', '0', '--env-file', '.env')
      expect(run.status, run.stderr).toBe(0)
      expect(at.read('seen.md')).toBe('note=from the file both=from outside empty=\n')
      const journal = JSON.stringify(at.events('tool.result'))
      expect(journal).toContain('the key is [redacted:MY_API_KEY]')
      const { stdout } = spawnSync('grep', ['-rlaF', '-e', secret, at.execution('.weave/journal')])
      expect(stdout.toString()).toBe('')
      expect(run.stdout + run.stderr).not.toContain(secret)
    },
    120_000,
  )

  verifies(['repair/env-file-only-asked'], 'alone makes a file be read', async () => {
    const at = await place()
    expect(idleTimeoutIn(at.weave(...validate).stdout)?.value).not.toBe(77)
    expect(idleTimeoutIn(at.weave(...validate, '--env-file', '.env').stdout)).toEqual({
      value: 77,
      origin: 'WEAVE_RUNTIME_IDLE_TIMEOUT',
    })
  })

  verifies(['repair/env-file-place'], 'refuses a bad line by its place and runs nothing', async () => {
    const at = await place()
    at.write({ 'bad.env': `A=1\n\n  ${secret}\nB=x#y\n` })
    const run = at.rehearse('--headless', '--env-file', 'bad.env')
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr.split('\n').filter(Boolean)).toEqual([
      'bad.env:3:3: error: --env-file: expected NAME=value, a comment after #, or an empty line',
      'bad.env:4:4: error: --env-file: quote a value that has a # in it',
    ])
    expect(at.executions()).toEqual([])
  })

  verifies(['repair/env-file-place'], 'names a file that is not there', async () => {
    const at = await place()
    const run = at.rehearse('--headless', '--env-file', 'gone.env')
    // Node looks for the file of every option of this name before the program begins, and says so itself.
    expect(run.status).not.toBe(0)
    expect(run.stderr).toMatch(/gone\.env.*(?:does not exist|not found)/)
    expect(at.executions()).toEqual([])
  })
})
