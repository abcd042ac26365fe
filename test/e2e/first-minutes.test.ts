import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { verifies } from '../conformance/verifies.ts'
import { folderAt } from '../support/hank-folder.ts'
import { tempDir } from '../support/temp-dir.ts'

const newcomer = async () => folderAt(await tempDir())

describe('the first minutes', () => {
  test('somebody who writes only the name hears what it is and what to do next', async () => {
    const { weave } = await newcomer()
    const { status, stdout, stderr } = weave()
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^weave runs a hank: a workflow in a file/)
    const named = [...stderr.matchAll(/weave ([a-z]+) {2,}|weave (doctor)/g)].map(
      ([, first, second]) => first ?? second,
    )
    expect(named).toEqual(['init', 'rehearse', 'validate', 'doctor'])
    for (const name of named) expect(Object.keys(commands)).toContain(name)
    for (const line of stderr.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    // With a word or an option somebody wants something, and hears what is wrong with it.
    expect(weave('--headless').stderr).toContain('Validation failed:')
    expect(weave('rehearse').stderr).toContain('weave init')
  })

  verifies(
    ['d2/command-init'],
    'go from nothing over a rehearsal without a key, a report and a change to a real run that asks for its key',
    async () => {
      const { cwd, weave } = await newcomer()
      const init = weave('init')
      expect(init).toMatchObject({ status: 0, stderr: '' })
      expect(init.stdout).toMatch(/\n {2}weave rehearse\n {2}weave validate\n {2}weave\n$/)

      const rehearsal = weave('rehearse')
      expect(rehearsal.stderr).toContain('The hank is done')
      expect(rehearsal.status).toBe(0)
      expect(readFileSync(join(cwd, 'weave-results/summary.md'), 'utf8')).toContain('# Summary')

      const next = /^Report +weave (report .*)$/m.exec(rehearsal.stderr)?.[1]?.split(' ') ?? []
      const report = weave(...next)
      expect(report.status).toBe(0)
      expect(existsSync(report.stdout.trim())).toBe(true)

      writeFileSync(join(cwd, 'prompts/draft.md'), 'Write a guide in three lines.\n')
      const checked = weave('validate', '--skip-self-test')
      expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('Configuration is valid!') })
      const real = weave()
      expect(real.status).toBe(1)
      expect(real.stderr).toContain('Set ANTHROPIC_API_KEY')
    },
    120_000,
  )
})
