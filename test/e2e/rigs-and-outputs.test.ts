import { readFileSync, rmSync } from 'node:fs'
import { beforeAll, describe, expect } from 'vitest'
import { readReport } from '../../packages/cli/src/report/read-report.ts'
import { executionLayout } from '../../packages/runtime/src/workspace/index.ts'
import { verifies } from '../conformance/verifies.ts'
import {
  bash,
  codon,
  type HankFolder,
  hankFolder,
  lightAgents,
  lightCodon,
  rig,
  sentinel,
} from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const transitionsOf = (at: HankFolder, type: string) =>
  at.events('state.transition').filter(({ data }) => data['transitionType'] === type)

describe('files that a rig makes', () => {
  verifies(
    ['repair/files-of-rigs'],
    'are all told before the checkpoint after the rig, however many',
    async () => {
      const many = 'mkdir tree; for i in $(seq 2000); do echo $i > tree/$i.txt; done'
      const at = await hankFolder([codon('a', { ...rig(many), checkpointedFiles: ['tree/**', '*.md'] })])
      expect((await at.scripted('--headless')).status).toBe(0)
      const [afterRig] = transitionsOf(at, 'CheckpointCreated')
      const told = at.events('file.updated')
      const before = told.filter(({ seq }) => seq < (afterRig?.seq ?? 0))
      expect(before.map(({ data }) => String(data['path'])).every(path => path.startsWith('tree/'))).toBe(
        true,
      )
      expect(before).toHaveLength(2_000)
      expect(told.slice(2_000).map(({ data }) => data['path'])).toEqual(['a.md'])
    },
    60_000,
  )
})

const noted = codon('b', { outputFiles: [{ copy: ['b.md'] }] })

describe('outputs of a codon that is undone', () => {
  verifies(
    ['repair/rollback-outputs', 'repair/outputs-told'],
    'are named before and after a rollback, stay, and are listed in the report by run',
    async () => {
      const at = await hankFolder([codon('a'), noted])
      expect((await at.scripted('--headless')).status).toBe(0)
      const directory = at.path('weave-results')
      expect(at.events('outputs.copied').map(({ data }) => data)).toEqual([
        { codonId: 'b', directory, files: ['b.md'] },
      ])
      const stays = `stay in ${directory} (outputs of b): 1\n  b.md\n`
      const preview = at.weave('rollback', 'a', '--preview')
      expect(preview.stdout).toContain(stays)
      expect(preview.stdout).toContain('put beside them as name_1_<time>; with --overwrite-output')
      // A codon that stays done keeps its outputs without a word.
      expect(at.weave('rollback', 'b', '--preview').stdout).not.toContain('stay in')
      const back = at.weave('rollback', 'a', '-y')
      expect(back.stdout).toContain(stays)
      expect(back.stderr).toMatch(/^Go on and replace its outputs with: weave -e \S+ --overwrite-output$/m)
      expect(readFileSync(at.path('weave-results/b.md'), 'utf8')).not.toBe('')

      expect((await at.scripted('--headless')).status).toBe(0)
      const report = await readReport(executionLayout(at.execution()))
      expect(report.ok && report.data.outputs.items).toMatchObject([
        { codonId: 'b', run: 1, directory, files: ['b.md'], isUndone: true },
        { codonId: 'b', run: 3, directory, files: [expect.stringMatching(/^b_1_/)], isUndone: false },
      ])
    },
    60_000,
  )

  verifies(
    ['repair/rollback-outputs'],
    'are replaced by the line that is printed for it, and are not named when they are gone',
    async () => {
      const at = await hankFolder([codon('a'), noted])
      await at.scripted('--headless')
      const { stderr } = at.weave('rollback', 'a', '-y')
      const [, words = ''] = /replace its outputs with: weave (.*)$/m.exec(stderr) ?? []
      expect((await at.scripted('--headless', ...words.split(' '))).status).toBe(0)
      expect(at.events('outputs.copied').map(({ data }) => data['files'])).toEqual([['b.md'], ['b.md']])
      rmSync(at.path('weave-results/b.md'))
      expect(at.weave('rollback', 'a', '--preview').stdout).not.toContain('stay in')
    },
    60_000,
  )
})

describe('the calls of a sentinel', () => {
  verifies(
    ['repair/sentinel-calls'],
    'are counted as people count its outputs; the health check is named',
    async () => {
      const sentinels = ['first', 'second'].map(id => ({ sentinelConfig: sentinel(id, 'tool.result') }))
      const at = await hankFolder([lightCodon('a', { sentinels })], {
        'weave.json': lightAgents,
        'rehearsal.json': {
          codons: { a: [bash('true'), bash('true'), { say: 'Done.' }] },
          sentinels: { first: ['one', 'two'], second: ['one', 'two'] },
        },
      })
      const { status, stdout } = at.rehearse('--headless')
      expect(status).toBe(0)
      expect(stdout).toMatch(/sentinel first left \(codon-complete\) after 2 calls and a health check, /)
      expect(stdout).toMatch(/sentinel second left \(codon-complete\) after 2 calls, /)
      expect(at.weave('report', '--costs').stdout).toContain('a health check is one of the calls')
    },
    60_000,
  )
})
