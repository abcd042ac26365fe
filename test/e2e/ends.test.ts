import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, hankFolder, rig } from '../support/hank-folder.ts'

/** Takes the end of the run out of a journal, as a kill right before it leaves it. */
function cutBeforeTheEnd(execution: string): void {
  const dir = join(execution, '.weave/journal')
  const [segment = ''] = readdirSync(dir).filter(name => name.endsWith('.jsonl'))
  const lines = readFileSync(join(dir, segment), 'utf8').split('\n')
  const end = lines.findIndex(line => line.includes('"RunCompleted"'))
  writeFileSync(join(dir, segment), `${lines.slice(0, end).join('\n')}\n`)
  rmSync(join(execution, '.weave/state.json'), { force: true })
}

describe('what is said of a run without a screen', () => {
  const outputs = (run: string) => ({ outputFiles: [{ copy: ['*.md'], beforeCopy: [command(run)] }] })

  verifies(
    ['repair/check-words', 'repair/outputs-said'],
    'a check that fails is told in one line, with its output as that of a check; no outputs are named',
    async () => {
      const at = await hankFolder([codon('a', { ...outputs('echo not good; exit 3'), ...rig('echo ready') })])
      const { status, stdout, stderr } = await at.scripted('--headless')
      expect(status).toBe(1)
      expect(stdout).toContain('rig of a: ready')
      expect(stdout).toContain('check of a: not good')
      expect(stdout.match(/codon a failed/g)).toHaveLength(1)
      expect(stdout).not.toContain('fatal error')
      expect(stderr).not.toContain('Outputs ')
    },
    60_000,
  )

  verifies(
    ['repair/outputs-said'],
    'outputs are named when something was copied, and a pattern with braces gets a warning before',
    async () => {
      const at = await hankFolder([codon('a', { ...rig('echo text > notes.md'), ...outputs('true') })])
      const run = await at.scripted('--headless')
      expect(run).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Outputs {4}\S/m) })
      at.setHank([codon('a', { outputFiles: [{ copy: ['notes*.{md'] }] })])
      expect((await at.scripted('validate', '--skip-self-test')).stdout).toContain('braces offer no choice')
    },
    60_000,
  )
})

describe('the end of an execution', () => {
  verifies(
    ['repair/nothing-left-completed'],
    'is found by the next start, when the run was cut off after its last codon',
    async () => {
      const at = await hankFolder([codon('first'), codon('last')])
      expect((await at.scripted('--headless')).status).toBe(0)
      cutBeforeTheEnd(at.execution())
      const status = () => (JSON.parse(at.weave('list', '--json').stdout) as { status: string }[])[0]?.status
      expect(status()).toBe('crashed')
      const again = await at.scripted('--headless')
      expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining('Nothing is left to do') })
      expect(status()).toBe('completed')
      const runs = at.events('run.completed').length
      expect((await at.scripted('--headless')).status).toBe(0)
      expect(at.events('run.completed').length).toBe(runs)
    },
    60_000,
  )
})
