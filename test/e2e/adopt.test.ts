import { existsSync, readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { lightCodon as codon, type HankFolder, hankFolder, lightAgents, rig } from '../support/hank-folder.ts'

const items = (third: object, more: object = {}) => [
  codon('a', { checkpointedFiles: ['**'] }),
  codon('b', { checkpointedFiles: ['**'] }),
  codon('c', { checkpointedFiles: ['**'], ...third }),
  codon('d', { checkpointedFiles: ['**'], ...more }),
  codon('e', { checkpointedFiles: ['**'] }),
]

/** What is adopted is the same for every agent. */
const place = (third: object): Promise<HankFolder> => hankFolder(items(third), { 'weave.json': lightAgents })

const broken = rig('echo tried >> ../rig-runs; exit 3')
const mended = rig('echo tried >> ../rig-runs')

interface EndOfCodon {
  readonly codonId: string
  readonly cost: number
  readonly success: boolean
}

describe('a rig that failed in the third of five codons', () => {
  verifies(
    [
      'repair/adopt-keeps-done',
      'repair/adopt-shows-first',
      'repair/resume-prints-its-plan',
      'repair/adopt-lasts',
      'repair/plan-history',
    ],
    'is mended in the hank, adopted, and the hank goes on to its end',
    async () => {
      const at = await place(broken)
      const first = at.rehearse('--headless')
      expect(first.status).toBe(1)
      const sessions = at.events('codon.started').map(({ data }) => [data['codonId'], data['sessionId']])
      const files = ['rehearsal/a.md', 'rehearsal/b.md'].map(path => at.read(path))
      expect(files).not.toContain(undefined)

      at.setHank(items(mended, { budget: { maxDollars: 0.5 } }))
      // The plan of the execution runs on, and that is what is printed.
      const again = at.rehearse('--headless', '-y')
      expect(again.status).toBe(1)
      expect(again.stderr).toContain('codon d  budget                   nothing → {"maxDollars":0.5}')
      expect(again.stderr).toContain('It goes on with the plan it has; --adopt takes the changes over.')
      expect(again.stderr).not.toContain('at most $0.5')
      expect(again.stdout).toContain('ended with code 3')
      const asked = at.rehearse('--headless')
      expect(asked.status).toBe(1)
      expect(asked.stderr).toContain('--adopt to take the changes over')

      const before = at.events().length
      const dry = at.rehearse('--headless', '--adopt', '--dry-run')
      expect(dry.status).toBe(0)
      expect(dry.stderr).toContain('codon c  rigSetup[0].command.run')
      expect(dry.stderr).toMatch(/Kept {7}a, b\n/)
      expect(dry.stderr).toMatch(/Goes on {4}with c\n/)
      expect(dry.stderr).toContain('at most $0.5')
      expect(at.events()).toHaveLength(before)

      const adopted = at.rehearse('--headless', '--adopt', '-y')
      expect(adopted.stderr).toContain('The hank is done')
      expect(adopted.status).toBe(0)
      const ends = at.events('codon.completed').map(({ data }) => data as unknown as EndOfCodon)
      const wellDone = ends.filter(({ success }) => success).map(({ codonId }) => codonId)
      expect(wellDone).toEqual(['a', 'b', 'c', 'd', 'e'])
      const started = at.events('codon.started').map(({ data }) => [data['codonId'], data['sessionId']])
      expect(started.slice(0, sessions.length)).toEqual(sessions)
      expect(['rehearsal/a.md', 'rehearsal/b.md'].map(path => at.read(path))).toEqual(files)
      expect(readFileSync(at.execution('rig-runs'), 'utf8').trim().split('\n')).toHaveLength(3)
      expect(at.executions()).toHaveLength(1)

      const later = at.rehearse('--headless')
      expect(later.status).toBe(0)
      expect(later.stderr).toContain('Nothing is left to do')
      const history = at.weave('diff', '--plan')
      expect(history.stdout).toMatch(
        /the plan that the execution began with\n.* {2}adopted\n {2}codon c {2}rigSetup/,
      )
    },
    120_000,
  )
})

describe('an edit of what is done', () => {
  verifies(
    ['repair/adopt-refusal'],
    'is refused with the command that goes back before it, and changes nothing',
    async () => {
      const at = await place(broken)
      at.rehearse('--headless')
      at.setHank([codon('other', { checkpointedFiles: ['**'] }), ...items(mended).slice(1)])
      const before = at.events().length
      const refused = at.rehearse('--headless', '--adopt', '-y')
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain(
        'The edited hank cannot be adopted: a is done, and the edited hank does not have it.',
      )
      const [, advice = ''] = /Go back first: weave (.*)\. Or/.exec(refused.stderr) ?? []
      expect(at.events()).toHaveLength(before)
      // The advice works as it stands.
      expect(at.weave(...advice.split(' '), '-y').status).toBe(0)
      const adopted = at.rehearse('--headless', '--adopt', '-y')
      expect(adopted.stderr).toContain('The hank is done')
      expect(existsSync(at.workspace('rehearsal/a.md'))).toBe(false)
      expect(existsSync(at.workspace('rehearsal/other.md'))).toBe(true)
    },
    120_000,
  )
})

describe('a budget that is adopted', () => {
  verifies(
    ['repair/adopt-budgets'],
    'counts what was spent before it',
    async () => {
      const at = await place(broken)
      at.rehearse('--headless')
      const spent = at.events('codon.completed').reduce((sum, { data }) => sum + Number(data['cost']), 0)
      // Half of what one of the two codons took is left for the third.
      const limit = Number((spent * 1.25).toFixed(6))
      const budget = { maxDollars: limit, onExceeded: 'fail' }
      at.setHank({ hank: items(mended), overrides: { budget } })
      const adopted = at.rehearse('--headless', '--adopt', '-y')
      expect(adopted.status).toBe(1)
      const [breach] = at.events('budget.exceeded')
      expect(breach?.data).toMatchObject({ scope: 'hank', limit })
      const worked = at.events('codon.started').map(({ data }) => data['codonId'])
      expect(worked).toEqual(['a', 'b', 'c'])
    },
    120_000,
  )
})

describe('--adopt', () => {
  verifies(['repair/adopt-shows-first'], 'needs an execution, and makes none', async () => {
    const at = await place(mended)
    const alone = at.rehearse('--headless', '--adopt', '-y')
    expect(alone.status).toBe(1)
    expect(alone.stderr).toContain('has no execution of this hank and this data')
    expect(at.executions()).toEqual([])
    expect(at.rehearse('--adopt', '-n').status).toBe(2)
    expect(at.rehearse('--dry-run').status).toBe(2)
  })
})
