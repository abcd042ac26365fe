import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, lightAgents, lightCodon, rig } from '../support/hank-folder.ts'

const colourCode = '\u001b['

describe('the words of the command', () => {
  verifies(
    ['repair/command-words', 'repair/execution-knows-itself'],
    'run, resume and help do what they say; a slip starts nothing',
    async () => {
      const at = await hankFolder([lightCodon('only', rig('test -n "$MENDED"'))], {
        'weave.json': lightAgents,
        'rehearsal.json': { codons: { only: [{ say: 'Done.' }] } },
      })
      expect(at.weave('resume')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('no executions'),
      })
      expect(at.rehearse('--headless').status).toBe(1)
      expect(at.with({ MENDED: 'yes' }).weave('resume')).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('REHEARSAL'),
      })
      expect(at.executions().length).toBe(1)
      expect(at.weave('run', '--validate', '--skip-self-test').stdout).toBe(
        at.weave('--validate', '--skip-self-test').stdout,
      )
      expect(at.weave('valdate')).toMatchObject({
        status: 2,
        stderr: 'There is no command valdate, and no such file. Did you mean weave validate?\n',
      })
      expect(at.weave('-q').stderr).not.toContain('Did you mean')
      expect(at.weave('list', 'more').status).toBe(2)
    },
    120_000,
  )

  verifies(['repair/command-words', 'repair/help-groups'], 'help is in groups, with examples', async () => {
    const at = await hankFolder([codon('only')])
    const all = at.weave('help')
    expect(all).toMatchObject({ status: 0, stderr: '' })
    expect(all.stdout).toBe(at.weave('--help').stdout)
    for (const title of ['Examples', 'Run', 'Watch and steer', 'Look back', 'Which execution', 'Clients'])
      expect(all.stdout).toContain(`\n${title}:\n`)
    expect(at.weave('help', 'journal').stdout).toBe(at.weave('journal', '--help').stdout)
  })

  verifies(
    ['repair/colour', 'repair/frame'],
    'a problem has its line and a caret, and colours only where they are wanted',
    async () => {
      const at = await hankFolder([codon('only', { model: 'sonnett' })])
      const plain = at.weave('validate', '--skip-self-test')
      expect(plain.status).toBe(1)
      expect(plain.stdout).toMatch(/Unknown model "sonnett"[^\n]*\n +\d+ \| +"model": "sonnett",\n +\| +\^\n/)
      expect(plain.stdout).not.toContain(colourCode)
      const coloured = at.with({ FORCE_COLOR: '1' })
      expect(coloured.weave('validate', '--skip-self-test').stdout).toContain(
        `${colourCode}31mValidation failed:`,
      )
      expect(coloured.weave('validate', '--skip-self-test', '--no-color').stdout).toBe(plain.stdout)
      expect(coloured.with({ NO_COLOR: '1' }).weave('validate', '--skip-self-test').stdout).toBe(plain.stdout)
      expect(coloured.weave('validate', '--skip-self-test', '--json').stdout).not.toContain(colourCode)
      expect(coloured.weave('--nope').stderr).toContain(`${colourCode}31mUnknown option`)

      at.setHank([codon('only')])
      const run = await coloured.scripted('--headless')
      expect(run.stdout).toContain(`${colourCode}32mcodon only completed`)
      expect(run.stderr).toContain(`The hank ${colourCode}32mis done`)
      expect(coloured.weave('list').stdout).toContain(`${colourCode}32mcompleted`)
      expect(coloured.weave('diff', 'start', 'only').stdout).toContain(`${colourCode}32m+# only`)
      expect(coloured.weave('doctor').stdout).toContain(`${colourCode}32mok`)
    },
    120_000,
  )
})
