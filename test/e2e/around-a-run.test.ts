import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, loop, rig, sentinel } from '../support/hank-folder.ts'

/** What people ask about runs afterwards, and what a run says when it ends. */
describe('around a run', () => {
  verifies(
    ['repair/list', 'repair/remove'],
    'executions are listed by what is asked, sized, and removed after a yes unless a run is going on',
    async () => {
      const at = await hankFolder([codon('a'), codon('held', { promptText: 'Then hang.' })])
      const run = await at.startScripted('--headless')
      await run.until('codon held started')
      expect(at.weave('list', '--status', 'running').stdout).toMatch(/hank +running +1 codon /)
      expect(at.weave('list', '--status', 'failed').stdout).toBe('None of 1 execution is like that.\n')
      expect(at.weave('list', '--status', 'done').status).toBe(2)
      expect(at.weave('rm', '@last', '-y')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('a run is going on there'),
      })
      expect(at.weave('gc', '--older-than', '0s', '-y').stdout).toBe('No execution is older than 0s.\n')
      expect(at.weave('stop').status).toBe(0)
      expect(at.weave('list', '--hank', 'HAN', '--json').stdout).toContain('"endedAt"')
      expect(at.weave('list', '--hank', '.').stdout).toContain('stopped')
      expect(at.weave('list', '--hank', 'other').stdout).toContain('None of 1 execution')

      mkdirSync(at.workspace('closed'))
      writeFileSync(at.workspace('closed/file'), 'x'.repeat(5000))
      chmodSync(at.workspace('closed'), 0o500)
      expect(at.weave('gc').stdout).toMatch(
        /WORKSPACE +SAVED +EXECUTION\n[\s\S]* 5\.\d KB +[\d.]+ K?B +hank-\d{8}-/,
      )
      const asked = at.weave('rm', basename(at.execution()))
      expect(asked).toMatchObject({ status: 1, stderr: expect.stringContaining('add -y') })
      expect(at.weave('gc', '--older-than', 'soon').status).toBe(2)
      expect(at.weave('gc', '--older-than', '1d', '-y').stdout).toContain('No execution is older than 1d.')
      expect(at.weave('gc', '--older-than', '0s', '-y')).toMatchObject({
        status: 0,
        stdout: 'Removed 1 execution.\n',
      })
      expect(at.executions()).toEqual([])
      expect(at.weave('rm')).toMatchObject({ status: 2 })
    },
    180_000,
  )

  verifies(
    ['repair/journal-for-people'],
    'the journal is for people unless they ask for more, and knows its codons',
    async () => {
      const at = await hankFolder([codon('draft'), loop('again', [codon('review')])])
      await at.scripted()
      expect(at.weave('journal').stdout).not.toContain('state.transition')
      expect(at.weave('journal', '--all').stdout).toContain('state.transition')
      expect(at.weave('journal', '--type', 'state.transition').stdout).toContain('CodonStarted')
      expect(at.weave('journal', '--json').stdout).toContain('state.transition')
      expect(at.weave('journal', '--codon', 'review#1').stdout).toContain('codon review#1 started')
      expect(at.weave('journal', '--codon', 'reveiw')).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining(
          'There is no codon reveiw. Did you mean review? There are: draft, review.',
        ),
      })
    },
    120_000,
  )

  verifies(
    ['repair/summary'],
    'the summary names no outputs that are not there, and a reason is not told by every event',
    async () => {
      const at = await hankFolder([codon('a', rig('echo broken >&2; exit 3'))])
      const { stdout, stderr } = await at.scripted()
      expect(stderr).toContain('The hank failed')
      expect(stderr).not.toContain('Outputs ')
      expect(stdout).toMatch(/codon a failed/)
      expect(stdout).not.toContain('fatal error')

      const cut = await hankFolder([codon('a', { budget: { maxOutputTokens: 1 } }), codon('b')])
      expect((await cut.scripted()).stderr).toContain('The hank is done, cut short by a budget in 1 codon\n')
    },
    120_000,
  )

  verifies(
    ['repair/replay-without-sentinels'],
    'what a rehearsal recorded is replayed although a sentinel was there',
    async () => {
      const script = { codons: { a: [{ say: 'Done.' }] }, sentinels: { eye: ['seen'] } }
      const observed = codon('a', { sentinels: [{ sentinelConfig: sentinel('eye', 'codon.completed') }] })
      const at = await hankFolder([observed], { 'rehearsal.json': script })
      expect(at.rehearse('--record', 'traffic')).toMatchObject({ status: 0 })
      expect(readFileSync(at.path('traffic/recording.json'), 'utf8')).toContain('{')
      expect(at.weave('replay', 'traffic')).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(
          'Left out of the replay, because nothing is recorded of it: sentinel eye.',
        ),
      })
    },
    90_000,
  )
})
