import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder } from '../support/hank-folder.ts'

const place = (...ids: readonly string[]) =>
  hankFolder(
    ids.map(id =>
      codon(id, { name: `Part ${id}`, promptText: id === 'hanging' ? 'Then hang.' : `Work on ${id}.` }),
    ),
    {},
    { inMemory: true },
  )

const markdownOf = (at: HankFolder) =>
  readdirSync(at.workspace())
    .filter(name => name.endsWith('.md'))
    .sort()

describe('the commands on checkpoints', () => {
  verifies(
    ['d2/command-checkpoints', 'd2/command-diff'],
    'list what is kept and compare it, for people and for programs',
    async () => {
      const at = await place('a', 'b')
      await at.scripted()
      const table = await at.scripted('checkpoints')
      expect(table.stdout).toMatch(
        /^RUN +CODON +CHECKPOINT[\s\S]*a +completed +completed +[0-9a-f]{8} .* 1\n/,
      )
      const json = JSON.parse((await at.scripted('checkpoints', '--json')).stdout) as readonly {
        readonly sha: string
        readonly type: string
      }[]
      expect(json.map(({ type }) => type)).toEqual(['start', 'completed', 'completed'])

      const unified = await at.scripted('diff', json[0]?.sha.slice(0, 10) ?? '', 'a')
      expect(unified).toMatchObject({ status: 0, stderr: `hank · ${basename(at.execution())}\n` })
      expect(unified.stdout).toContain('+++ b/a.md')
      expect(unified.stdout).toContain('+# a')
      writeFileSync(at.workspace('b.md'), 'by \u001b[31mhand\n')
      const disk = await at.scripted('diff', 'Part b')
      expect(disk.stdout).toContain('hand')
      expect(disk.stdout).not.toContain('\u001b')
      expect((await at.scripted('diff', 'a', 'b', '--stat')).stdout).toMatch(
        /^b\.md +added +\+\d+ -0\n1 file, \+\d+ -0\n$/,
      )
      expect((await at.scripted('diff', 'a', 'b', '--name-only')).stdout).toBe('b.md\n')
      expect(JSON.parse((await at.scripted('diff', 'a', 'disk', '--json')).stdout)).toMatchObject({
        to: 'the disk',
        files: [{ path: 'b.md', status: 'added', additions: 1 }],
      })
      expect(await at.scripted('diff', 'a', 'a')).toMatchObject({ status: 0, stdout: '' })
      expect(await at.scripted('diff', 'z')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('There is no codon z.'),
      })
    },
    120_000,
  )

  verifies(
    ['d2/command-rollback'],
    'go back offline after a look and a yes, go on from there, and take it back',
    async () => {
      const at = await place('a', 'b', 'c')
      await at.scripted()
      const preview = await at.scripted('rollback', 'a', '--preview')
      expect(preview.stdout).toMatch(/Undone +c, b\nNext +b\n[\s\S]*delete: 2\n {2}b\.md\n {2}c\.md/)
      expect(await at.scripted('rollback', 'a')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('add -y'),
      })
      expect(markdownOf(at)).toEqual(['a.md', 'b.md', 'c.md'])
      const done = await at.scripted('rollback', 'a', '-y')
      expect(done).toMatchObject({ status: 0, stderr: expect.stringContaining('weave rollback --undo') })
      expect(markdownOf(at)).toEqual(['a.md'])
      const undone = await at.scripted('rollback', '--undo', '-y', '--json')
      expect(JSON.parse(undone.stdout)).toMatchObject({ create: ['b.md', 'c.md'], undone: [] })
      expect((await at.scripted()).stderr).toContain('Nothing is left to do')
      await at.scripted('rollback', 'b:end', '-y')
      const resumed = await at.scripted()
      expect(resumed.status).toBe(0)
      expect(resumed.stdout).toContain('codon c started')
      expect(resumed.stdout).not.toContain('codon b started')
    },
    120_000,
  )

  verifies(
    ['d2/command-gc'],
    'say what executions hold, pack them, and drop leftovers only when asked to',
    async () => {
      const at = await place('a', 'b')
      await at.scripted()
      const said = await at.scripted('gc')
      expect(said.stdout).toMatch(
        /^JOURNAL +CHECKPOINTS +SESSIONS +AGENTS +REMOVED +ARCHIVE +WORKSPACE +SAVED +EXECUTION\n/,
      )
      const [row] = JSON.parse(
        (await at.scripted('gc', '--prune', '7d', '--json')).stdout,
      ) as readonly object[]
      expect(row).toMatchObject({ ok: true, after: { journal: expect.any(Number), removed: 0 } })
      const packs = at.execution('.weave/checkpoints/objects/pack')
      expect(readdirSync(packs).filter(name => name.endsWith('.pack')).length).toBe(1)
    },
    120_000,
  )

  test('leave an execution alone in which a server is at work', async () => {
    const at = await place('a', 'hanging')
    const run = await at.startScripted()
    await run.until('codon hanging started')
    const refused = await at.scripted('rollback', 'a', '-y')
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/A run is going on[\s\S]*attach/),
    })
    expect((await at.scripted('gc')).stderr).toContain('was left alone: A run is going on.')
    expect((await at.scripted('checkpoints')).stdout).toMatch(/a +completed .* \?\n/)
    expect(await run.kill('SIGINT')).toBe(130)
    expect(existsSync(at.execution('.weave/lock.json'))).toBe(false)
    expect((await at.scripted('rollback', 'hanging:start', '-y')).status).toBe(0)
    expect(at.read('a.md')).toContain('# a')
  }, 120_000)
})
