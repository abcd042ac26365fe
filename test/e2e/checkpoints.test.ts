import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { startCommand } from '../support/running-command.ts'
import { runScripted, scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

interface Place {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
}

async function place(...codons: readonly string[]): Promise<Place> {
  const dir = await tempDir({ inMemory: true })
  const hank = codons.map(id => ({
    id,
    name: `Part ${id}`,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: id === 'hanging' ? 'Then hang.' : `Work on ${id}.`,
    checkpointedFiles: ['*.md'],
  }))
  writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  return { dir, env: { HOME: join(dir, 'home') } }
}

const weave = ({ dir, env }: Place, ...words: readonly string[]) => runScripted(words, { cwd: dir, env })

function workspaceOf({ dir }: Place): string {
  const base = join(dir, 'home/.weave-executions')
  return join(base, readdirSync(base)[0] ?? '', 'agentRoot')
}

const markdownOf = (at: Place) =>
  readdirSync(workspaceOf(at))
    .filter(name => name.endsWith('.md'))
    .sort()

describe('the commands on checkpoints', () => {
  verifies(
    ['d2/command-checkpoints', 'd2/command-diff'],
    'list what is kept and compare it, for people and for programs',
    async () => {
      const at = await place('a', 'b')
      await weave(at)
      const table = await weave(at, 'checkpoints')
      expect(table.stdout).toMatch(
        /^RUN +CODON +CHECKPOINT[\s\S]*a +completed +completed +[0-9a-f]{8} .* 1\n/,
      )
      const json = JSON.parse((await weave(at, 'checkpoints', '--json')).stdout) as readonly {
        readonly sha: string
        readonly type: string
      }[]
      expect(json.map(({ type }) => type)).toEqual(['start', 'completed', 'completed'])

      const unified = await weave(at, 'diff', json[0]?.sha.slice(0, 10) ?? '', 'a')
      expect(unified).toMatchObject({ status: 0, stderr: '' })
      expect(unified.stdout).toContain('+++ b/a.md')
      expect(unified.stdout).toContain('+# a')
      writeFileSync(join(workspaceOf(at), 'b.md'), 'by \u001b[31mhand\n')
      const disk = await weave(at, 'diff', 'Part b')
      expect(disk.stdout).toContain('hand')
      expect(disk.stdout).not.toContain('\u001b')
      expect((await weave(at, 'diff', 'a', 'b', '--stat')).stdout).toMatch(
        /^b\.md +added +\+\d+ -0\n1 files, \+\d+ -0\n$/,
      )
      expect((await weave(at, 'diff', 'a', 'b', '--name-only')).stdout).toBe('b.md\n')
      expect(JSON.parse((await weave(at, 'diff', 'a', 'disk', '--json')).stdout)).toMatchObject({
        to: 'the disk',
        files: [{ path: 'b.md', status: 'added', additions: 1 }],
      })
      expect(await weave(at, 'diff', 'a', 'a')).toMatchObject({ status: 0, stdout: '' })
      expect(await weave(at, 'diff', 'z')).toMatchObject({
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
      await weave(at)
      const preview = await weave(at, 'rollback', 'a', '--preview')
      expect(preview.stdout).toMatch(/Undone +c, b\nNext +b\n[\s\S]*delete: 2\n {2}b\.md\n {2}c\.md/)
      expect(await weave(at, 'rollback', 'a')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('add -y'),
      })
      expect(markdownOf(at)).toEqual(['a.md', 'b.md', 'c.md'])
      const done = await weave(at, 'rollback', 'a', '-y')
      expect(done).toMatchObject({ status: 0, stderr: expect.stringContaining('weave rollback --undo') })
      expect(markdownOf(at)).toEqual(['a.md'])
      const undone = await weave(at, 'rollback', '--undo', '-y', '--json')
      expect(JSON.parse(undone.stdout)).toMatchObject({ create: ['b.md', 'c.md'], undone: [] })
      expect((await weave(at)).stderr).toContain('Nothing is left to do')
      await weave(at, 'rollback', 'b:end', '-y')
      const resumed = await weave(at)
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
      await weave(at)
      const said = await weave(at, 'gc')
      expect(said.stdout).toMatch(
        /^JOURNAL +CHECKPOINTS +SESSIONS +AGENTS +REMOVED +ARCHIVE +SAVED +EXECUTION\n/,
      )
      const [row] = JSON.parse((await weave(at, 'gc', '--prune', '7d', '--json')).stdout) as readonly object[]
      expect(row).toMatchObject({ ok: true, after: { journal: expect.any(Number), removed: 0 } })
      const packs = join(workspaceOf(at), '../.weave/checkpoints/objects/pack')
      expect(readdirSync(packs).filter(name => name.endsWith('.pack')).length).toBe(1)
    },
    120_000,
  )

  test('leave an execution alone in which a server is at work', async () => {
    const at = await place('a', 'hanging')
    const run = startCommand(await scriptedWeave(), [], { cwd: at.dir, env: at.env })
    await run.until('codon hanging started')
    const refused = await weave(at, 'rollback', 'a', '-y')
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/A run is going on[\s\S]*attach/),
    })
    expect((await weave(at, 'gc')).stderr).toContain('was left alone: A run is going on.')
    expect((await weave(at, 'checkpoints')).stdout).toMatch(/a +completed .* \?\n/)
    expect(await run.kill('SIGINT')).toBe(130)
    expect(existsSync(join(workspaceOf(at), '../.weave/lock.json'))).toBe(false)
    expect((await weave(at, 'rollback', 'hanging:start', '-y')).status).toBe(0)
    expect(readFileSync(join(workspaceOf(at), 'a.md'), 'utf8')).toContain('# a')
  }, 120_000)
})
